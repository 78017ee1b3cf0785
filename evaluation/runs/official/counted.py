"""The parts of result files: a run's replies, seed by seed, with the reading that counts."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.definitions.registry import find_benchmark
from evaluation.models import ModelResponse, Reading, Run, RunKind
from evaluation.replies import ENDED, LOG_PROBS, REPLY, SURPRISE, THOUGHTS
from measures.scores.parsed_answers import UNREAD


def places(run: Run, folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield each seed and its folder, created if missing: the official tools have no seeds.

    A run with seed 0 alone, the usual case, needs no folder of its own.
    """
    for seed in run.seeds:
        place = folder if run.seeds == [0] else folder / f"seed-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        yield seed, place


def responses_of(run: Run, seed: int) -> Iterator[ModelResponse]:
    """The replies of this seed in the order of the official keys, with item, facets and readings."""
    found = ModelResponse.objects.filter(cell__run=run, cell__seed=seed).select_related("cell__item")
    full = found.prefetch_related("cell__item__facets", "readings__scores")
    return full.order_by("cell__item__key", "cell__item__pk").iterator(chunk_size=2000)


def reading_of(run: Run, response: ModelResponse) -> Reading | None:
    """The reading by the run's own parser, taken from the prefetched readings."""
    wanted = (run.parser, run.parser_version)
    return next((row for row in response.readings.all() if (row.parser, row.version) == wanted), None)


def kind_of(run: Run) -> str:
    """The kind of the run's answers: by its strategy, else as uploaded; a margin is stored as log-probabilities."""
    strategy = find_benchmark(run.pack.benchmark).strategy(run.strategy)
    if strategy.by_surprise or strategy.by_likelihood:
        return SURPRISE if strategy.by_surprise else LOG_PROBS
    return str(run.card.get("given", REPLY)) if run.kind == RunKind.UPLOADED else REPLY


def fields_of(kind: str, response: ModelResponse) -> dict[str, Any]:
    """The answer's fields as an upload has them."""
    if kind in (SURPRISE, LOG_PROBS):
        numbers: dict[str, Any] = json.loads(response.raw)
        return numbers if kind == SURPRISE else {LOG_PROBS: numbers}
    beside = {THOUGHTS: response.thoughts, ENDED: response.ended}
    return {kind: response.raw} | {name: text for name, text in beside.items() if text}


def prediction_of(run: Run, response: ModelResponse) -> str:
    """The answer, or the problem if there is no answer."""
    reading = reading_of(run, response)
    return (reading.answer or reading.problem if reading else "") or UNREAD


def write_table(path: Path, rows: Iterable[tuple], *, delimiter: str = ",") -> int:
    """Write the rows, of which the first is the header; return the number of answers."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter=delimiter)
        return sum(1 for row in rows if table.writerow(row))
