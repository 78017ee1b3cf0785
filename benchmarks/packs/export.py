"""Exports a pack: items with filled prompts and without answers, clips, checksums, submission templates."""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.utils.module_loading import import_string

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.errors import BenchmarkError
from benchmarks.models import Clip, Item, ItemQuerySet, Pack, Rendition, RenditionKind
from benchmarks.packs.truth.ground_truth import write_truth
from benchmarks.storage.access import path_of
from benchmarks.storage.store import sha256_of

PUBLIC_KINDS = (RenditionKind.ORIGINAL, RenditionKind.PICTURE)
OTHER_FORMATS: dict[str, str] = {}  # format -> dotted path of its FormatWriter; extensions add theirs
# Facets that do not reveal the answer.
PUBLIC_FACETS = ("level", "test", "concept", "caution", "split")

README = """\
# {title}: {pack}

{about}

* `items.jsonl`: one question a line. `text` is the exact prompt; `lead_in` is what chain-of-thought asks first.
  No answers are included. `clip` is null for questions in words alone.
* `clips/`: the videos, under names that tell nothing. They are padded to one size.
* `submission-template-STRATEGY.jsonl`: fill in `model` and every `reply` (what the model said), or write `answer`
  instead (what it means), and upload the file.
* `SHA256SUMS`: check with `sha256sum -c SHA256SUMS`.

Definition {version}, pack hash {manifest_hash}. Licence: {licence}.

{citation}"""

TRUTH_README = """
## Ground truth

**This tells the answers.** `ground-truth/NAME.npz` and `NAME.json` belong to `clips/NAME.mp4`: what stood where in each
state (50 a second), what the camera saw of it, who touched whom, and what was drawn for the scene. Sealed items are
left out. Arrays, units and axes: docs/benchmarks/grasp.md, "Ground truth".
"""

OFFICIAL_README = """
## The official tools' tables

**These tell the answers.** `official/` holds the tables that `tools/prepare_data.py` would write, with the false
statements of this pack in place of newly drawn ones: put them into the release's `data/`, and the `results.csv` that
`tools/run_test.py` writes can be uploaded.
"""


def item_rows(items: ItemQuerySet, place: Callable[[Rendition], str | None]) -> Iterator[dict[str, Any]]:
    """One row per question, without its answer; `place` gives the path or URL of a clip."""
    found = items.order_by("public_id").prefetch_related("facets", "media__clip__renditions")
    for item in found.iterator(chunk_size=500):
        original = item.clip.displayed_file if item.clip else None
        yield {
            "item": item.public_id,
            "kind": item.kind,
            "text": item.text,
            "lead_in": item.lead_in or None,
            "options": item.options,
            **{name: item.facet_values(name) for name in PUBLIC_FACETS},
            "clip": place(original) if original else None,
            "sha256": original.sha256 if original else None,
            **_several(item, place),
        }


def _several(item: Item, place: Callable[[Rendition], str | None]) -> dict[str, Any]:
    """For a question about several clips: each clip in display order, with the box around its object."""
    uses = list(item.media.all())
    if len(uses) < 2:
        return {}
    files = [(use, use.clip.displayed_file) for use in uses]
    return {
        "clips": [
            {
                "role": use.role,
                "position": use.position,
                "box": use.clip.facts.get("box"),
                "box_in": use.clip.facts.get("box_in"),
                "clip": place(original),
                "sha256": original.sha256,
            }
            for use, original in files
            if original
        ]
    }


def template_rows(pack: Pack, strategy: StrategyName, items: ItemQuerySet) -> Iterator[dict[str, Any]]:
    """The header of a submission, then one empty reply per question."""
    yield {
        "benchmark": pack.benchmark,
        "pack": pack.name,
        "model": "",
        "strategy": strategy.name,
        "condition": strategy.condition,
        "split": strategy.splits[0],
    }
    questions = (
        items.for_strategy(find_benchmark(pack.benchmark), strategy).in_split(strategy.splits[0]).order_by("public_id")
    )
    for public_id in questions.prefetch_related(None).values_list("public_id", flat=True).iterator(chunk_size=2000):
        yield {"item": public_id, "reply": ""}


def as_lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    """Write one line of JSON per row; return their number."""
    with path.open("w", encoding="utf-8") as file:
        return sum(1 for line in as_lines(rows) if file.write(line))


def export_pack(
    benchmark: Benchmark, pack: Pack, out: Path, *, with_truth: bool = False, with_official: bool = False
) -> dict[str, int]:
    """Write the pack to a new folder, or to a file if the name ends in .zip; nothing is left after a failure.

    Files that reveal answers (ground truth of generated clips, tables for the official tools) are only included on
    request, and never for sealed items.
    """
    truths = {"with_truth": with_truth, "with_official": with_official}
    return _whole(out, lambda folder: _write_folder(benchmark, pack, folder, **truths))


@dataclass(frozen=True)
class FormatChoice:
    """What a caller chose for a format of another tool; '' = the format's own."""

    strategy: str = ""
    condition: str = ""
    split: str = ""
    sampler: str = ""


FormatWriter = Callable[[Benchmark, Pack, Path, FormatChoice], dict[str, Any]]


def export_as(form: str, benchmark: Benchmark, pack: Pack, out: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write the pack in a format of another tool, to a new folder or .zip; returns the writer's facts."""
    if form not in OTHER_FORMATS:
        raise BenchmarkError(f"there is no format {form!r}; there is: {', '.join(OTHER_FORMATS) or 'none'}")
    writer: FormatWriter = import_string(OTHER_FORMATS[form])
    return _whole(out, lambda folder: writer(benchmark, pack, folder, choice))


def _whole(out: Path, write: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """Let `write` fill a new folder, which then gets its name or becomes the .zip."""
    if out.exists():
        raise BenchmarkError(f"{out} exists already: choose another place")
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.with_name(f".{out.name}.unfinished")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        counts = write(folder)
        if out.suffix == ".zip":
            _zip(folder, out)
        else:
            folder.rename(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return counts


def _write_folder(
    benchmark: Benchmark, pack: Pack, folder: Path, *, with_truth: bool, with_official: bool
) -> dict[str, int]:
    (folder / "clips").mkdir(parents=True)
    items: ItemQuerySet = Item.objects.filter(pack=pack).askable().filter(open_to(PUBLIC, Fact.EXISTENCE))
    count = write_lines(folder / "items.jsonl", item_rows(items, lambda rendition: f"clips/{rendition.name}"))
    for strategy in benchmark.strategies:
        write_lines(folder / f"submission-template-{strategy.name}.jsonl", template_rows(pack, strategy, items))
    renditions = Rendition.objects.filter(clip__in=_clips_outside_studies(pack), kind__in=PUBLIC_KINDS)
    for rendition in renditions:
        shutil.copyfile(path_of(rendition), folder / "clips" / rendition.name)
    counts = {"items": count, "clips": len(renditions)}
    readme = _readme(benchmark, pack)
    if with_official:
        counts["official"] = _write_official(benchmark, pack, folder / "official")
        readme += OFFICIAL_README
    if with_truth:
        counts["ground_truth"] = _write_truth(pack, folder / "ground-truth")
        readme += TRUTH_README
    (folder / "README.md").write_text(readme, encoding="utf-8")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = "".join(f"{sha256_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return counts


def _clips_outside_studies(pack: Pack) -> QuerySet[Clip]:
    """Clips of the pack that no open study uses."""
    out_of_sight = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.EXISTENCE)).values("pk")
    return Clip.objects.filter(pack=pack, withdrawn_at__isnull=True).exclude(uses__item__in=out_of_sight)


def _write_truth(pack: Pack, folder: Path) -> int:
    folder.mkdir()
    hidden = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER))
    clips = _clips_outside_studies(pack).exclude(uses__item__in=hidden)
    return sum(write_truth(clip, folder) for clip in clips.distinct().prefetch_related("renditions"))


def _write_official(benchmark: Benchmark, pack: Pack, folder: Path) -> int:
    """Write the tables for the benchmark's own tools; return the number of clips in them."""
    if benchmark.write_official is None:
        raise BenchmarkError(f"the tools of {benchmark.title} read no table that could be written")
    items: ItemQuerySet = Item.objects.filter(pack=pack).askable()
    if items.exclude(open_to(PUBLIC, Fact.ANSWER)).exists():
        raise BenchmarkError("some answers of this pack are hidden now, and the official tables would tell them")
    folder.mkdir()
    rows = items.exclude(media=None).order_by("key", "pk").values_list("key", "kind", "variant", "text")
    return benchmark.write_official(rows.iterator(chunk_size=2000), folder)


def _zip(folder: Path, out: Path) -> None:
    """Write the folder as an uncompressed archive, since compression does not make videos smaller."""
    unfinished = out.with_name(f".{out.name}.part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(path, f"{out.stem}/{path.relative_to(folder).as_posix()}")
    unfinished.rename(out)


def _readme(benchmark: Benchmark, pack: Pack) -> str:
    return README.format(
        title=benchmark.title,
        pack=pack.title,
        about=benchmark.about,
        version=pack.definition_version,
        manifest_hash=pack.manifest_hash,
        licence=benchmark.licence,
        citation=benchmark.citation,
    )
