"""Writing a data set as a release of PACS: its own ten files (fact sheet, section 2.2), the clips, and the datasheet.

```text
DIR/json/*.json            objects, questions, sources and pairs as PACS has them; test_data.json without its labels
DIR/json/annotation.json   of which trial it is, and whether its people were simulated
DIR/answers/test_data.json the labels of the test split, in PACS' format: for `import_answers`, and not to be published
DIR/videos/objectNNNN.mp4  the clips
DIR/DATASHEET.md           how it was made, in numbers
```
"""

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.importers.pacs import MADE_BY_PEOPLE
from benchmarks.media import path_of
from humantrials.annotation.dataset import DataObject, Dataset
from humantrials.annotation.datasheet import datasheet_of
from humantrials.annotation.material_subset import MaterialPoint, material_bank, material_points
from humantrials.annotation.pairing import SPLITS
from scenes.whole_files import whole, write_json

INDENT = 4  # as in the official files
WITHHELD = "test"
Progress = Callable[[int, int], None]


class CannotExport(ValueError):
    """The release can't be written; the message says why, in one sentence."""


@dataclass(frozen=True)
class Written:
    """What was written."""

    objects: int
    questions: int
    points: dict[str, int]  # split -> datapoints
    material_points: dict[str, int]
    clips: int


def write_release(dataset: Dataset, out: Path, *, with_clips: bool = True, progress: Progress | None = None) -> Written:
    """Write all of it below `out`. Raises CannotExport where there is nothing yet, or something else lies there."""
    refuse_foreign(out, dataset.slug)
    subset = subset_of(dataset)
    for folder in (out / "json", out / "answers", out / "videos"):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files_of(dataset, subset).items():
        write_json(out / name, content, indent=INDENT, ensure_ascii=False)
    with whole(out / "DATASHEET.md") as temporary:
        temporary.write_text(datasheet_of(dataset, subset), encoding="utf-8")
    return Written(
        objects=len(dataset.objects),
        questions=len(dataset.questions),
        points={split: sum(point.split == split for point in dataset.points) for split in SPLITS},
        material_points={split: sum(point.split == split for point in subset) for split in SPLITS},
        clips=_copy_clips(dataset.objects, out / "videos", progress) if with_clips else 0,
    )


def subset_of(dataset: Dataset) -> tuple[MaterialPoint, ...]:
    """The material subset; CannotExport where nobody agrees on anything yet."""
    if not dataset.points:
        raise CannotExport(f"{dataset.slug}: three people agree on no question yet, so there is no data set")
    return tuple(material_points(dataset.pairs, {one.key: one.materials for one in dataset.objects}, dataset.seed))


def archive_of(dataset: Dataset) -> bytes:
    """The JSON files and the datasheet as one ZIP file, without clips: for a download."""
    subset = subset_of(dataset)
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, told in files_of(dataset, subset).items():
            archive.writestr(name, json.dumps(told, indent=INDENT, ensure_ascii=False))
        archive.writestr("DATASHEET.md", datasheet_of(dataset, subset))
    return content.getvalue()


def refuse_foreign(out: Path, slug: str) -> None:
    """An export is written anew over the same trial's, and over nothing else."""
    mark = out / "json" / MADE_BY_PEOPLE
    try:
        stands = json.loads(mark.read_text(encoding="utf-8")).get("trial") if mark.is_file() else None
    except (ValueError, AttributeError):
        stands = None
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and stands != slug)):
        raise CannotExport(f"{out}: something else lies there; name an empty folder, or one that this trial was put in")


def files_of(dataset: Dataset, subset: tuple[MaterialPoint, ...]) -> dict[str, Any]:
    """Path -> content of every JSON file."""
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
        asked = _nested((point, point.question) for point in dataset.points if point.split == split)
        files[f"{split}_data"] = without_labels(asked) if split == WITHHELD else asked
        files[f"{split}_data_mat"] = _nested((point, key_of[point.text]) for point in subset if point.split == split)
    answers = _nested((point, point.question) for point in dataset.points if point.split == WITHHELD)
    mark = {"trial": dataset.slug, "title": dataset.title, "seed": dataset.seed, "simulated": dataset.is_simulated}
    return {
        **{f"json/{name}.json": content for name, content in files.items()},
        f"json/{MADE_BY_PEOPLE}": mark,
        f"answers/{WITHHELD}_data.json": answers,
    }


def _object(one: DataObject) -> dict[str, Any]:
    return {"duration": one.seconds, "bounding_box": list(one.box), "materials": list(one.materials), "fps": one.fps}


def _sources(objects: Iterable[DataObject]) -> dict[str, dict[str, list[int]]]:
    """Source video -> object -> first, last and middle frame: the name of a file where PACS has the id of a video."""
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


def without_labels(asked: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        pair: {question: {"text": told["text"]} for question, told in questions.items()}
        for pair, questions in asked.items()
    }


def _copy_clips(objects: tuple[DataObject, ...], folder: Path, progress: Progress | None) -> int:
    """The clips that an object still has; those of an earlier export that are none any more go."""
    wanted = {f"{one.key}.mp4" for one in objects}
    for stale in folder.glob("object*.mp4"):
        if stale.name not in wanted:
            stale.unlink()
    for done, one in enumerate(objects, start=1):
        if one.clip.shown is None:
            raise CannotExport(f"{one.key}: its clip has no file: {one.clip.problem or 'gone'}")
        with whole(folder / f"{one.key}.mp4") as temporary:
            shutil.copyfile(path_of(one.clip.shown), temporary)
        if progress:
            progress(done, len(objects))
    return len(objects)
