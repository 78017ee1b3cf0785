"""Scheduling of runs: higher priority first; among equals the run whose last shard was leased longest ago.

So a run of a hundred thousand questions does not block one of thirty. Opening another model costs time, so a worker's
slice lasts at least nine times as long as its model took to open: switching costs at most a tenth.
"""

import time
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from benchmarks.leasing import queue_task
from evaluation.models import Run, RunKind, RunQuerySet
from evaluation.queue.leases import HELD_TO_CEILING, free_shards

OPENING_SHARE = 0.1
HERE = (RunKind.RUN, RunKind.REFEREE)  # uploaded runs are answered elsewhere


def waiting_runs() -> RunQuerySet:
    """Runs with a shard that a worker may lease now, in scheduling order."""
    rested = Q(rest_until=None) | Q(rest_until__lte=Now())
    waiting = Run.objects.unfinished().filter(rested, Exists(free_shards().filter(run=OuterRef("pk"))), kind__in=HERE)
    return in_order(waiting.exclude(HELD_TO_CEILING))


def in_order(runs: RunQuerySet) -> RunQuerySet:
    """The runs in the order in which workers take them."""
    return runs.order_by("-priority", F("served_at").asc(nulls_first=True), "created_at", "pk")


@dataclass(frozen=True)
class SchedulingSlice:
    """The time that a worker spends on one run."""

    run: Run
    opening_seconds: float = 0.0  # time that opening its model took
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """The length of the slice while others of the same priority wait."""
        return max(settings.EVALUATION_TURN_SECONDS, self.opening_seconds * (1 - OPENING_SHARE) / OPENING_SHARE)

    def is_over(self) -> bool:
        """Whether a run of higher priority waits, or, after the slice's length, one of equal priority."""
        priority = Run.objects.values_list("priority", flat=True).get(pk=self.run.pk)
        has_lasted = time.monotonic() - self.began >= self.seconds
        others = waiting_runs().exclude(pk=self.run.pk)
        return others.filter(**{"priority__gte" if has_lasted else "priority__gt": priority}).exists()


def notify_worker(run_id: int, **options: Any) -> bool:
    """Tell a worker that there is work; if the message queue is down, the periodic sweep wakes one later."""
    return queue_task("evaluation.tasks.work_on_run", run_id, **options)
