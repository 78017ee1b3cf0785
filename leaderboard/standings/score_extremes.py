"""Items on which humans disagree with each other, or models with each other."""

from collections.abc import Collection

import numpy as np
from django.db.models import Count

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from humantrials.models import Judgment, Trial
from humantrials.results.release import may_show_scores
from leaderboard.models import Extremes
from leaderboard.standings.tallies import RunTally

# One item of a run. Scores are only compared, never added up, so single precision is enough.
SCORED = np.dtype([("item", "<i8"), ("lowest", "<f4"), ("highest", "<f4")])


def packed(answered: RunTally | None) -> bytes:
    """A run's lowest and highest score on each item, packed; empty if its referee does not score accuracy."""
    found = np.empty(0 if answered is None else len(answered.places), SCORED)
    if answered is not None:
        found["item"], (found["lowest"], found["highest"]) = answered.items, answered.extremes.T
    return found.tobytes()


def people(pack: Pack) -> set[int]:
    """Items that got different answers within one trial and condition whose results are shown."""
    published = [trial.pk for trial in Trial.objects.filter(pack=pack) if may_show_scores(trial)]
    counted = Judgment.objects.filter(trial__in=published, counts=True).values("trial_id", "slot__condition", "item_id")
    divided = counted.annotate(said=Count("answer", distinct=True)).filter(said__gt=1)
    return set(divided.order_by().values_list("item_id", flat=True))


def models(pack: Pack, kinds: Collection[str]) -> set[int]:
    """Items of these kinds (of any kind if none is named) with different scores between runs or seeds on the board."""
    known = BENCHMARKS[pack.benchmark].strategies if pack.benchmark in BENCHMARKS else ()
    asking_else = [strategy.name for strategy in known if kinds and not set(strategy.kinds) & set(kinds)]
    extremes = Extremes.objects.filter(standing__pack=pack).exclude(standing__strategy__in=asking_else)
    rows = np.frombuffer(b"".join(map(bytes, extremes.values_list("packed", flat=True))), SCORED)
    if not len(rows):
        return set()
    first, size = rows["item"].min(), np.ptp(rows["item"]) + 1  # ids of one pack are close together
    places, lowest, highest = rows["item"] - first, np.ones(size, "f4"), np.zeros(size, "f4")
    np.minimum.at(lowest, places, rows["lowest"])
    np.maximum.at(highest, places, rows["highest"])
    return set((first + np.flatnonzero(lowest < highest)).tolist())
