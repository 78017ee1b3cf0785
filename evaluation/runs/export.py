"""A run's answers as files: the site's own lines, which can be uploaded again, or those of the benchmark's tools."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.disclosure import PUBLIC, Fact, open_to
from evaluation.errors import RunMisused
from evaluation.models import Cell, Run
from evaluation.replies import FINDINGS
from evaluation.runs.official import fields_of, kind_of, write_craft, write_grasp, write_pacs

WRITERS: dict[str, Callable[[Run, Path], int]] = {"grasp": write_grasp, "craft": write_craft, "pacs": write_pacs}


def item_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one row per answer ordered by id and seed, with what was found; scores of hidden answers are left out."""
    hidden = set(run.pack.items.exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True))
    cells = run.cells.filter(response__isnull=False).order_by("item__public_id", "seed")
    full, kind = cells.select_related("item", "response").prefetch_related("response__readings__scores"), kind_of(run)
    for cell in full.iterator(chunk_size=2000):
        answer = {"item": cell.item.public_id, "seed": cell.seed} | fields_of(kind, cell.response)
        yield answer | _findings(run, cell, is_hidden=cell.item_id in hidden)


def write_items(run: Run, path: Path) -> int:
    """Write one line of JSON per answer; return their number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        return sum(1 for row in item_rows(run) if file.write(json.dumps(row, ensure_ascii=False) + "\n"))


def write_official(run: Run, folder: Path) -> int:
    """Write the benchmark's own result files; raises RunMisused if it has none."""
    if run.pack.benchmark not in WRITERS:
        there_are = ", ".join(WRITERS)
        raise RunMisused(f"{run.pack.benchmark} has no result file of its own; there is one for: {there_are}")
    return WRITERS[run.pack.benchmark](run, folder)


def _findings(run: Run, cell: Cell, *, is_hidden: bool) -> dict[str, Any]:
    """The answer and problem by the run's own parser, the score, and the tokens of all turns with their thoughts."""
    response = cell.response
    reading = response.reading_for(run)
    answer, problem = (reading.answer, reading.problem) if reading else ("", "")
    scores = reading.scores.all() if reading and not is_hidden else ()
    score = next((row.value for row in scores if row.referee == run.referee), None)
    found = zip(FINDINGS, (answer, problem, score, response.tokens_in, response.tokens_out), strict=True)
    return {name: value for name, value in found if value not in (None, "")}
