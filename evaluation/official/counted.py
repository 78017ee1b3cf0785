"""What result files are made of: a run's replies with the reading that counts, seed by seed."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from evaluation.models import ModelResponse, Reading, Run
from measures.answers import UNREAD


def places(run: Run, folder: Path) -> Iterator[tuple[int, Path]]:
    """Seed and its folder, made where it is missing: no tool has seeds in its files, so each has a folder of its own.

    Seed 0 alone, as most runs have it, needs none.
    """
    for seed in run.seeds:
        place = folder if run.seeds == [0] else folder / f"seed-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        yield seed, place


def responses_of(run: Run, seed: int) -> Iterator[ModelResponse]:
    """The replies under this seed in the order of the official keys, with item, facets and readings."""
    found = ModelResponse.objects.filter(cell__run=run, cell__seed=seed).select_related("cell__item")
    full = found.prefetch_related("cell__item__facets", "readings__scores")
    return full.order_by("cell__item__key", "cell__item__pk").iterator(chunk_size=2000)


def reading_of(run: Run, response: ModelResponse) -> Reading | None:
    """What the run's own parser read; reads the prefetched readings."""
    wanted = (run.parser, run.parser_version)
    return next((row for row in response.readings.all() if (row.parser, row.version) == wanted), None)


def prediction_of(run: Run, response: ModelResponse) -> str:
    """The answer, or the word for why there is none."""
    reading = reading_of(run, response)
    return (reading.answer or reading.problem if reading else "") or UNREAD


def write_table(path: Path, rows: Iterable[tuple], *, delimiter: str = ",") -> int:
    """Write the rows, the first of them being the columns; how many lines there are."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter=delimiter)
        return sum(1 for row in rows if table.writerow(row))
