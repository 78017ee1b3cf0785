"""A pack as a data set of the Hugging Face hub: card, `eval.yaml`, questions, public clips, results of listed runs.

It holds what a pack's public archive holds: no item of an open study, no withheld answer, no clip of others.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string

from benchmarks.definitions.definition import Benchmark
from benchmarks.disclosure.doors import public_files
from benchmarks.errors import BenchmarkError
from benchmarks.models import Pack
from benchmarks.packs.export import PUBLIC_FACETS, FormatChoice, item_rows
from benchmarks.storage.access import path_of
from evaluation.errors import RunMisused
from evaluation.models import Run, RunState
from evaluation.runs.exchange import eval_yaml, hub_id, hub_split, write_results
from leaderboard.publications.pack_archive import answer_rows, offered_items

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LICENCES = {"MIT": "mit"}  # the hub's names


def write_data_set(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write the data set, with all questions that everybody may see; returns the facts for the command."""
    if any(vars(choice).values()):
        raise BenchmarkError("a data set of the hub has all questions of the pack: leave out what limits them")
    clips = _copy_clips(pack, folder / "clips")
    counts = _write_splits(benchmark, pack, folder / "data", clips)
    if not counts:
        raise BenchmarkError("no question of this pack is public now")
    results = _write_results(pack, folder / "results")
    (folder / "eval.yaml").write_text(eval_yaml(pack), encoding="utf-8")
    (folder / "README.md").write_text(_card(benchmark, pack, counts, results), encoding="utf-8")
    facts = {"items": offered_items(pack).count(), "clips": len(clips), "splits": counts, "results": results}
    return facts | {"written": f"{facts['items']} questions, {len(clips)} clips and {results} results"}


def _copy_clips(pack: Pack, folder: Path) -> set[str]:
    folder.mkdir(parents=True)
    files = list(public_files(pack))
    for rendition in files:
        shutil.copyfile(path_of(rendition), folder / rendition.name)
    return {rendition.name for rendition in files}


def _write_splits(benchmark: Benchmark, pack: Pack, folder: Path, clips: set[str]) -> dict[str, int]:
    """The number of questions by the hub's name of their split."""
    folder.mkdir()
    counts = {}
    for split in benchmark.splits:
        if rows := list(_rows(pack, split, clips)):
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{hub_split(split)}.jsonl").write_text(text, encoding="utf-8")
            counts[hub_split(split)] = len(rows)
    return counts


def _rows(pack: Pack, split: str, clips: set[str]) -> Iterator[dict[str, Any]]:
    items = offered_items(pack).in_split(split)
    known = {row["item"]: row["expected"] for row in answer_rows(items)}
    for row in item_rows(items, lambda one: f"clips/{one.name}" if one.name in clips else None):
        facets = {name: ", ".join(row[name]) for name in PUBLIC_FACETS}
        # A column of nulls or empty lists in one split would have another type than in the next.
        yield {name: "" if value is None else value for name, value in (row | facets).items()} | {
            "expected": known.get(row["item"]) or ""
        }


def _write_results(pack: Pack, folder: Path) -> int:
    """Write the scores of finished runs that everybody may see, a folder a model; returns their number."""
    runs = Run.objects.filter(pack=pack, state=RunState.FINISHED, limit=None).visible_to(AnonymousUser())
    count = 0
    for run in runs.select_related("model", "pack").order_by("pk"):
        try:
            count += write_results(run, folder / run.model.slug)
        except RunMisused:  # none of its questions has a public answer
            continue
    return count


def _card(benchmark: Benchmark, pack: Pack, counts: dict[str, int], results: int) -> str:
    size = next((name for most, name in SIZES if max(counts.values()) < most), "n>100K")
    licence = LICENCES.get(benchmark.licence)
    named = {"license": licence} if licence else {"license": "other", "license_name": benchmark.licence}
    metadata = {
        "pretty_name": f"{benchmark.title}, {pack.title}",
        **named,
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["benchmark", "video", "physical-understanding"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": f"data/{split}.jsonl"} for split in counts],
            }
        ],
    }
    known = {"benchmark": benchmark, "pack": pack, "counts": counts, "results": results, "site": settings.SITE_URL}
    known |= {"about": benchmark.about or benchmark.question, "hub": hub_id(pack)}
    known["metadata"] = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
    return render_to_string("harnesses/data_set.md", known)
