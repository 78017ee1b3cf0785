"""The scores of runs by item, kept with their standings, as arrays over a pack's items."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import Run
from leaderboard.models import ItemScores
from leaderboard.standings.tallies import ClipTally, RunTally

SCORED = np.dtype([("item", "<i8"), ("n", "<f8"), ("total", "<f8")])
Array = NDArray[np.float64]


def packed(answered: RunTally) -> bytes:
    """A run's number of replies and sum of scores on each item, packed."""
    found, columns = np.empty(len(answered.places), SCORED), ClipTally(*answered.sums.T)
    found["item"], found["n"], found["total"] = answered.items, columns.n, columns.total
    return found.tobytes()


def read_item_scores(runs: Sequence[int], dimension: str, facts: PackFacts) -> dict[int, tuple[Array, Array]]:
    """Run id -> sums of scores and numbers of replies over the pack's items, in one query; 0 where it has none."""
    stored = ItemScores.objects.filter(standing__run__in=runs, dimension=dimension)
    return {run: _unpacked(bytes(rows), facts) for run, rows in stored.values_list("standing__run_id", "packed")}


def stored_means(run: Run) -> dict[int, float] | None:
    """Item id -> the run's mean score on it, over all its splits; None if its row is not that of its latest answers."""
    rows = ItemScores.objects.filter(standing__run=run, standing__source_version=run.answers_version, dimension="")
    packed_rows = rows.values_list("packed", flat=True).first()
    if packed_rows is None:
        return None
    found = np.frombuffer(bytes(packed_rows), SCORED)
    found = found[found["n"] > 0]
    return dict(zip(found["item"].tolist(), (found["total"] / found["n"]).tolist(), strict=True))


def _unpacked(rows: bytes, facts: PackFacts) -> tuple[Array, Array]:
    found = np.frombuffer(rows, SCORED)
    totals, sizes = np.zeros((2, len(facts.items)))
    places = facts.places(found["item"])
    totals[places], sizes[places] = found["total"], found["n"]
    return totals, sizes
