"""A run's answers as files: row by row for anybody, and as the benchmark's own tools read them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.errors import RunMisused
from evaluation.models import Cell, Run
from evaluation.official.counted import reading_of, write_table
from evaluation.official.registry import WRITERS

COLUMNS = ("item", "seed", "state", "reason", "reply", "answer", "problem", "score")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def item_rows(run: Run) -> Iterator[tuple]:
    """Yield the header, then one row a cell in the order of ids."""
    yield COLUMNS
    cells = run.cells.order_by("item__public_id", "seed").select_related("item", "response")
    for cell in cells.prefetch_related("response__readings__scores").iterator(chunk_size=2000):
        yield (cell.item.public_id, cell.seed, cell.state, cell.reason, *_reply(run, cell))


def write_items(run: Run, path: Path) -> int:
    """Write one row a cell, as JSON Lines or CSV by the file's ending; how many rows there are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".jsonl":
        return write_table(path, (tuple(map(_calm, row)) for row in item_rows(run))) - 1
    with path.open("w", encoding="utf-8") as file:
        return sum(1 for row in _objects(item_rows(run)) if file.write(json.dumps(row, ensure_ascii=False) + "\n"))


def _objects(rows: Iterator[tuple]) -> Iterator[dict[str, Any]]:
    header = next(rows)
    yield from (dict(zip(header, row, strict=True)) for row in rows)


def write_official(run: Run, folder: Path) -> int:
    """Write the result files of the benchmark's own tools; RunMisused where it has none."""
    if run.pack.benchmark not in WRITERS:
        there_are = ", ".join(WRITERS)
        raise RunMisused(f"{run.pack.benchmark} has no result file of its own; there is one for: {there_are}")
    return WRITERS[run.pack.benchmark](run, folder)


def _reply(run: Run, cell: Cell) -> tuple[str, str, str, float | str]:
    """The reply, what the run's own parser read in it, and its score."""
    response = getattr(cell, "response", None)
    if response is None:
        return "", "", "", ""
    reading = reading_of(run, response)
    if reading is None:
        return response.raw, "", "", ""
    score = next((row.value for row in reading.scores.all() if row.referee == run.referee), "")
    return response.raw, reading.answer, reading.problem, score


def _calm(value: object) -> object:
    """A spreadsheet must not run what a model said."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
