"""Writes a data set as a release of PACS: its ten files (fact sheet, section 2.2), the clips, and the datasheet.

```text
DIR/json/*.json            objects, questions, sources and pairs in PACS' format; test_data.json without labels
DIR/json/annotation.json   its trial, whether participants were simulated, and which clips were left out
DIR/answers/test_data.json the labels of the test split in PACS' format: for `import_benchmark --answers`, never public
DIR/videos/objectNNNN.mp4  the clips
DIR/DATASHEET.md           how it was made, in numbers
```
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.template.loader import render_to_string

from benchmarks.definitions.importers.pacs import MADE_BY_PEOPLE
from benchmarks.storage.access import path_of
from extensions.annotation.protocol.pairs import SPLITS
from extensions.annotation.protocol.vocabulary import REASONS
from extensions.annotation.work.dataset import DataObject, Dataset, PairPoint
from humantrials.errors import TrialError
from humantrials.protocols.designs.balanced import lot
from scenes.tapped.questions import TEMPLATES
from scenes.whole_files import whole, write_json


def material_points(
    pairs: Sequence[tuple[str, str, str]], materials: Mapping[str, Sequence[str]], seed: int
) -> Iterator[PairPoint]:
    """Yield the material questions of the pairs (first, second, split); in each pair those of the first come first."""
    for first, second, split in pairs:
        for label, own, other in ((0, first, second), (1, second, first)):
            for material in dict.fromkeys(materials[own]):
                if material not in materials[other]:
                    template = _question_template(f"{first}_{second}", material, seed)
                    yield PairPoint(first, second, split, template.format(material), label)


def material_bank(points: Sequence[PairPoint]) -> dict[str, str]:
    """Question id -> text, each text once, in alphabetical order."""
    texts = sorted({point.text for point in points})
    return {f"q{number:04}": text for number, text in enumerate(texts)}


def _question_template(pair: str, material: str, seed: int) -> str:
    return min(TEMPLATES, key=lambda template: lot(f"{seed}/material/{pair}/{material}", template))


INDENT = 4  # as in the official files
WITHHELD = "test"
Progress = Callable[[int, int], None]


class CannotExport(TrialError):
    """The release can't be written; the message says why, in one sentence."""


def write_release(
    dataset: Dataset, out: Path, *, with_clips: bool = True, progress: Progress | None = None
) -> dict[str, Any]:
    """Write the release to `out`; returns how much of each was written, datapoints by their split.

    Raises CannotExport if the data set is empty or `out` holds something else.
    """
    refuse_foreign(out, dataset.slug)
    subset = subset_of(dataset)
    for folder in (out / "json", out / "answers", out / "videos"):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files_of(dataset, subset).items():
        write_json(out / name, content, indent=INDENT, ensure_ascii=False)
    with whole(out / "DATASHEET.md") as temporary:
        temporary.write_text(datasheet_of(dataset, subset), encoding="utf-8")
    return {
        "objects": len(dataset.objects),
        "questions": len(dataset.questions),
        "datapoints": {split: sum(point.split == split for point in dataset.points) for split in SPLITS},
        "material": {split: sum(point.split == split for point in subset) for split in SPLITS},
        "clips": _copy_clips(dataset.objects, out / "videos", progress) if with_clips else 0,
    }


def subset_of(dataset: Dataset) -> tuple[PairPoint, ...]:
    """The material subset; raises CannotExport if no question has three agreeing answers yet."""
    if not dataset.points:
        raise CannotExport(f"{dataset.slug}: three people agree on no question yet, so there is no data set")
    return tuple(material_points(dataset.pairs, {one.key: one.materials for one in dataset.objects}, dataset.seed))


def archive_of(dataset: Dataset) -> bytes:
    """The JSON files and the datasheet as one ZIP file for download, without clips."""
    subset = subset_of(dataset)
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, body in files_of(dataset, subset).items():
            archive.writestr(name, json.dumps(body, indent=INDENT, ensure_ascii=False))
        archive.writestr("DATASHEET.md", datasheet_of(dataset, subset))
    return content.getvalue()


def refuse_foreign(out: Path, slug: str) -> None:
    """Raise CannotExport unless `out` is empty or holds an earlier export of the same trial."""
    mark = out / "json" / MADE_BY_PEOPLE
    try:
        stands = json.loads(mark.read_text(encoding="utf-8")).get("trial") if mark.is_file() else None
    except (ValueError, AttributeError):
        stands = None
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and stands != slug)):
        raise CannotExport(f"{out}: it has other content; name an empty folder, or an earlier export of this trial")


def files_of(dataset: Dataset, subset: tuple[PairPoint, ...]) -> dict[str, Any]:
    """The content of every JSON file, by path."""
    bank = material_bank(subset)
    key_of = {text: key for key, text in bank.items()}
    files: dict[str, Any] = {
        "objects": {one.key: _object(one) for one in dataset.objects},
        "questions": {
            one.key: {"properties": list(one.properties), "question": one.text, "statement": one.statement}
            for one in dataset.questions
        },
        "mat_questions": bank,
        "youtube_info": _sources(dataset.objects),
    }
    for split in SPLITS:
        labels = _nested((point, point.question) for point in dataset.points if point.split == split)
        files[f"{split}_data"] = without_labels(labels) if split == WITHHELD else labels
        files[f"{split}_data_mat"] = _nested((point, key_of[point.text]) for point in subset if point.split == split)
    answers = _nested((point, point.question) for point in dataset.points if point.split == WITHHELD)
    mark = {
        "trial": dataset.slug,
        "title": dataset.title,
        "seed": dataset.seed,
        "salt": dataset.salt,
        "simulated": dataset.is_simulated,
    }
    return {
        **{f"json/{name}.json": content for name, content in files.items()},
        f"json/{MADE_BY_PEOPLE}": mark,
        f"answers/{WITHHELD}_data.json": answers,
    }


def _object(one: DataObject) -> dict[str, Any]:
    return {"duration": one.seconds, "bounding_box": list(one.box), "materials": list(one.materials), "fps": one.fps}


def _sources(objects: Iterable[DataObject]) -> dict[str, dict[str, list[int]]]:
    """Source video -> object -> first, last and middle frame. PACS has video ids here; ours are file names."""
    found: dict[str, dict[str, list[int]]] = {}
    for one in objects:
        found.setdefault(one.source, {})[one.key] = list(one.frames)
    return found


def _nested(points: Iterable[tuple[Any, str]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Pair -> question -> label and text."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for point, question in points:
        found.setdefault(point.pair, {})[question] = {"label": point.label, "text": point.text}
    return found


def without_labels(labels: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        pair: {question: {"text": record["text"]} for question, record in questions.items()}
        for pair, questions in labels.items()
    }


def _copy_clips(objects: tuple[DataObject, ...], folder: Path, progress: Progress | None) -> int:
    """Copy the objects' clips, and delete clips of an earlier export that are no longer included."""
    wanted = {f"{one.key}.mp4" for one in objects}
    for stale in folder.glob("object*.mp4"):
        if stale.name not in wanted:
            stale.unlink()
    for done, one in enumerate(objects, start=1):
        if one.clip.displayed_file is None:
            raise CannotExport(f"{one.key}: its clip has no file: {one.clip.problem or 'gone'}")
        with whole(folder / f"{one.key}.mp4") as temporary:
            shutil.copyfile(path_of(one.clip.displayed_file), temporary)
        if progress:
            progress(done, len(objects))
    return len(objects)


STAGES = {
    "objects": "A, boxes and materials",
    "questions": "B, questions",
    "answers": "C, reassignment",
    "checks": "D, quality check",
}


def datasheet_of(dataset: Dataset, subset: Sequence[PairPoint]) -> str:
    """The datasheet in Markdown."""
    figures: Mapping[str, Any] = dataset.figures
    materials = Counter(material for one in dataset.objects for material in one.materials)
    properties = Counter(name for question in dataset.questions for name in question.properties)
    seconds = sorted(one.seconds for one in dataset.objects)
    facts = {
        "dataset": dataset,
        "figures": figures,
        "splits": [_split(dataset, subset, split) for split in SPLITS],
        "stages": [(title, figures["people"][name], figures["answers"][name]) for name, title in STAGES.items()],
        "dropped": [
            (what, [(REASONS.get(code, code), count) for code, count in counts["reasons"].items()])
            for what, counts in (
                ("clips", figures["objects"]),
                ("questions", figures["questions"]),
                ("answers of writers", figures["candidates"]["written"]),
                ("reassigned questions", figures["candidates"]["assigned"]),
            )
        ],
        "materials": materials.most_common(),
        "properties": properties.most_common(),
        "shortest": seconds[0],
        "middle": seconds[len(seconds) // 2],
        "longest": seconds[-1],
        "hours": sum(seconds) / 3600,
    }
    return render_to_string("annotation/datasheet.md", facts)


def _split(dataset: Dataset, subset: Sequence[PairPoint], split: str) -> dict[str, object]:
    points = [point for point in dataset.points if point.split == split]
    return {
        "name": split,
        "objects": sum(one.split == split for one in dataset.objects),
        "pairs": len({point.pair for point in points}),
        "points": len(points),
        "first": sum(point.label == 0 for point in points),
        "second": sum(point.label == 1 for point in points),
        "questions": len({point.question for point in points}),
        "material": sum(point.split == split for point in subset),
    }
