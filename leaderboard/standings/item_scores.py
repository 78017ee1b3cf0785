"""The scores of runs by item, kept with their standings as packed arrays, and the items on which answerers disagree."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import Run
from evaluation.runs.tallies import ClipTally, RunTally
from humantrials.models import Judgment, Trial
from humantrials.results.release import may_show_scores
from leaderboard.models import Extremes, ItemScores

Array = NDArray[np.float64]
SCORED = np.dtype([("item", "<i8"), ("n", "<f8"), ("total", "<f8")])


def packed(answered: RunTally) -> bytes:
    """A run's number of replies and sum of scores on each item, packed."""
    found, columns = np.empty(len(answered.places), SCORED), ClipTally(*answered.sums.T)
    found["item"], found["n"], found["total"] = answered.items, columns.n, columns.total
    return found.tobytes()


def read_item_scores(runs: Sequence[int], dimension: str, facts: PackFacts) -> Iterator[tuple[int, Array, Array]]:
    """Yield each run's id, sums of scores and numbers of replies over the pack's items; 0 where it has none.

    Run by run: those of a hundred models on a hundred thousand items would fill hundreds of megabytes.
    """
    stored = ItemScores.objects.filter(standing__run__in=runs, dimension=dimension)
    rows = stored.values_list("standing__run_id", "packed").iterator(chunk_size=10)  # megabytes each
    for run, one in rows:
        found = np.frombuffer(bytes(one), SCORED)
        totals, sizes = np.zeros((2, len(facts.items)))
        places = facts.places(found["item"])
        totals[places], sizes[places] = found["total"], found["n"]
        yield run, totals, sizes


def stored_means(run: Run) -> dict[int, float] | None:
    """Item id -> the run's mean score on it, over all its splits; None if its row is not that of its latest answers."""
    rows = ItemScores.objects.filter(standing__run=run, standing__source_version=run.answers_version, dimension="")
    packed_rows = rows.values_list("packed", flat=True).first()
    if packed_rows is None:
        return None
    found = np.frombuffer(bytes(packed_rows), SCORED)
    found = found[found["n"] > 0]
    return dict(zip(found["item"].tolist(), (found["total"] / found["n"]).tolist(), strict=True))


# One item of a run. Scores are only compared, never added up, so single precision is enough.
EXTREMES = np.dtype([("item", "<i8"), ("lowest", "<f4"), ("highest", "<f4")])


def packed_extremes(answered: RunTally | None) -> bytes:
    """A run's lowest and highest score on each item, packed; empty if its referee does not score accuracy."""
    found = np.empty(0 if answered is None else len(answered.places), EXTREMES)
    if answered is not None:
        found["item"], (found["lowest"], found["highest"]) = answered.items, answered.extremes.T
    return found.tobytes()


def divided_by_people(pack: Pack) -> set[int]:
    """Items that got different answers within one trial and condition whose results are shown."""
    published = [trial.pk for trial in Trial.objects.filter(pack=pack) if may_show_scores(trial)]
    counted = Judgment.objects.filter(trial__in=published, counts=True).values("trial_id", "slot__condition", "item_id")
    divided = counted.annotate(said=Count("answer", distinct=True)).filter(said__gt=1)
    return set(divided.order_by().values_list("item_id", flat=True))


def divided_by_models(pack: Pack, kinds: Collection[str]) -> set[int]:
    """Items of these kinds (of any kind if none is named) with different scores between runs or seeds on the board."""
    known = BENCHMARKS[pack.benchmark].strategies if pack.benchmark in BENCHMARKS else ()
    asking_else = [strategy.name for strategy in known if kinds and not set(strategy.kinds) & set(kinds)]
    extremes = Extremes.objects.filter(standing__pack=pack).exclude(standing__strategy__in=asking_else)
    rows = np.frombuffer(b"".join(map(bytes, extremes.values_list("packed", flat=True))), EXTREMES)
    if not len(rows):
        return set()
    first, size = rows["item"].min(), np.ptp(rows["item"]) + 1  # ids of one pack are close together
    places, lowest, highest = rows["item"] - first, np.ones(size, "f4"), np.zeros(size, "f4")
    np.minimum.at(lowest, places, rows["lowest"])
    np.maximum.at(highest, places, rows["highest"])
    return set((first + np.flatnonzero(lowest < highest)).tolist())
