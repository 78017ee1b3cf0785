"""A run's answers as files: one row per cell, or in the format of the benchmark's own tools."""

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from benchmarks.disclosure import PUBLIC, Fact, open_to
from evaluation.errors import RunMisused
from evaluation.models import Cell, Run
from evaluation.runs.official import craft, grasp, pacs
from evaluation.runs.official.counted import reading_of, write_table
from measures.spreadsheet_cells import defused

TOKENS = ("tokens_in", "tokens_out")  # for all turns, thoughts included
COLUMNS = ("item", "seed", "state", "reason", "reply", "answer", "problem", "score", "thoughts", *TOKENS)
WRITERS: dict[str, Callable[[Run, Path], int]] = {"grasp": grasp.write, "craft": craft.write, "pacs": pacs.write}


def item_rows(run: Run) -> Iterator[tuple]:
    """Yield the header, then one row per cell ordered by id; scores of hidden answers are left out."""
    yield COLUMNS
    hidden = set(run.pack.items.exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True))
    cells = run.cells.order_by("item__public_id", "seed").select_related("item", "response")
    for cell in cells.prefetch_related("response__readings__scores").iterator(chunk_size=2000):
        yield (cell.item.public_id, cell.seed, cell.state, cell.reason, *_reply(run, cell, hidden))


def write_items(run: Run, path: Path) -> int:
    """Write one row per cell, as JSON Lines or CSV by the file's suffix; return the number of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".jsonl":
        return write_table(path, (tuple(map(defused, row)) for row in item_rows(run))) - 1
    with path.open("w", encoding="utf-8") as file:
        return sum(1 for row in _objects(item_rows(run)) if file.write(json.dumps(row, ensure_ascii=False) + "\n"))


def _objects(rows: Iterator[tuple]) -> Iterator[dict[str, Any]]:
    header = next(rows)
    yield from (dict(zip(header, row, strict=True)) for row in rows)


def write_official(run: Run, folder: Path) -> int:
    """Write the benchmark's own result files; raises RunMisused if it has none."""
    if run.pack.benchmark not in WRITERS:
        there_are = ", ".join(WRITERS)
        raise RunMisused(f"{run.pack.benchmark} has no result file of its own; there is one for: {there_are}")
    return WRITERS[run.pack.benchmark](run, folder)


def _reply(run: Run, cell: Cell, hidden: Collection[int]) -> tuple[Any, ...]:
    """The reply, the answer and problem by the run's own parser, the score, the thoughts (separately), and tokens."""
    response = getattr(cell, "response", None)
    if response is None:
        return ("",) * 7
    reading = reading_of(run, response)
    answer, problem = (reading.answer, reading.problem) if reading else ("", "")
    scores = reading.scores.all() if reading and cell.item_id not in hidden else ()
    score = next((row.value for row in scores if row.referee == run.referee), "")
    tokens = ("" if (count := getattr(response, name)) is None else count for name in TOKENS)
    return response.raw, answer, problem, score, response.thoughts, *tokens
