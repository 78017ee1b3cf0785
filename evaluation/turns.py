"""Whose turn it is: the higher priority first; among equal ones the run whose last shard was taken longest ago.

So a run of a hundred thousand questions does not keep one of thirty waiting. Opening another model costs time, hence a
turn lasts at least nine times as long as its model took to open: going round never costs more than a tenth.
"""

import time
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from evaluation.leasing import free_shards
from evaluation.models import Run, RunKind, RunQuerySet

OPENING_SHARE = 0.1
HERE = (RunKind.RUN, RunKind.REFEREE)  # uploads are answered elsewhere


def waiting_runs() -> RunQuerySet:
    """Runs with a shard that a worker may take now, the next one first."""
    rested = Q(rest_until=None) | Q(rest_until__lte=Now())
    waiting = Run.objects.unfinished().filter(rested, Exists(free_shards().filter(run=OuterRef("pk"))), kind__in=HERE)
    return in_order(waiting)


def in_order(runs: RunQuerySet) -> RunQuerySet:
    """The order in which workers come to these runs."""
    return runs.order_by("-priority", F("served_at").asc(nulls_first=True), "created_at", "pk")


@dataclass(frozen=True)
class Turn:
    """A worker's stay with one run."""

    run: Run
    opening_seconds: float = 0.0  # what opening its model took
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it lasts while others of the same priority wait."""
        return max(settings.EVALUATION_TURN_SECONDS, self.opening_seconds * (1 - OPENING_SHARE) / OPENING_SHARE)

    def is_over(self) -> bool:
        """Another run waits that is more important, or as important once this turn has lasted."""
        priority = Run.objects.values_list("priority", flat=True).get(pk=self.run.pk)
        has_lasted = time.monotonic() - self.began >= self.seconds
        others = waiting_runs().exclude(pk=self.run.pk)
        return others.filter(**{"priority__gte" if has_lasted else "priority__gt": priority}).exists()
