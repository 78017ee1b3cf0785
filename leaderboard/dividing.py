"""Items on which answerers are at odds: people among themselves, or models among themselves."""

from collections.abc import Collection

import numpy as np
from django.db.models import Count

from benchmarks.models import Pack
from benchmarks.registry import BENCHMARKS
from humantrials.models import Judgment, Trial
from humantrials.results import are_shown
from leaderboard.models import Extremes
from leaderboard.tallies import Answered

# One item of a run. Scores are compared, not added up: single precision tells apart all that referees give.
SCORED = np.dtype([("item", "<i8"), ("lowest", "<f4"), ("highest", "<f4")])


def packed(answered: Answered | None) -> bytes:
    """What a run got for each of its items, as it is kept; nothing where its referee gives no accuracy."""
    found = np.empty(0 if answered is None else len(answered.places), SCORED)
    if answered is not None:
        found["item"], (found["lowest"], found["highest"]) = answered.items, answered.extremes.T
    return found.tobytes()


def people(pack: Pack) -> set[int]:
    """Items to which the people of one trial and condition gave different answers, where results are shown."""
    shown = [trial.pk for trial in Trial.objects.filter(pack=pack) if are_shown(trial)]
    counted = Judgment.objects.filter(trial__in=shown, counts=True).values("trial_id", "slot__condition", "item_id")
    divided = counted.annotate(said=Count("answer", distinct=True)).filter(said__gt=1)
    return set(divided.order_by().values_list("item_id", flat=True))


def models(pack: Pack, kinds: Collection[str]) -> set[int]:
    """Items of these kinds (none named: of any) on which runs on the board, or seeds of one, got different scores."""
    known = BENCHMARKS[pack.benchmark].strategies if pack.benchmark in BENCHMARKS else ()
    asking_else = [strategy.name for strategy in known if kinds and not set(strategy.kinds) & set(kinds)]
    kept = Extremes.objects.filter(standing__pack=pack).exclude(standing__strategy__in=asking_else)
    rows = np.frombuffer(b"".join(map(bytes, kept.values_list("packed", flat=True))), SCORED)
    if not len(rows):
        return set()
    first, size = rows["item"].min(), np.ptp(rows["item"]) + 1  # ids of one pack stand close together
    places, lowest, highest = rows["item"] - first, np.ones(size, "f4"), np.zeros(size, "f4")
    np.minimum.at(lowest, places, rows["lowest"])
    np.maximum.at(highest, places, rows["highest"])
    return set((first + np.flatnonzero(lowest < highest)).tolist())
