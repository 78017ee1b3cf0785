"""The site's state in figures: queue depths, lease ages and answer rates."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Model, Q
from django.db.models.functions import Now
from django.utils import timezone

from benchmarks.models import ProductionBatch, ProductionState
from benchsite.maintenance.state import current
from evaluation.models import ModelResponse, Run, RunState, Shard, ShardState, Upload, UploadState
from evaluation.queue.leases import UNFINISHED
from humantrials.models import Judgment, Sheet, SheetState
from leaderboard.standings.refresh import stale_runs, stale_trials

# Answers have no index by time, so the newest keys are counted, at most this many per minute.
COUNTED_AT_MOST = 20_000
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class MetricFamily:
    """A metric: its values by the value of `label`; without a label a single value under ''."""

    name: str
    about: str
    values: dict[str, float]
    label: str = ""


def figures() -> Iterator[MetricFamily]:
    now = timezone.now()
    yield MetricFamily("benchsite_queue_depth", "What waits for a worker", queue_depth(), "queue")
    yield MetricFamily("benchsite_runs", "Runs that are not over, by state", runs_by_state(), "state")
    yield MetricFamily(
        "benchsite_lease_age_seconds",
        "Since the sign of life that is longest ago of all that hold a lease",
        lease_ages(now),
        "kind",
    )
    yield MetricFamily(
        "benchsite_leases_run_out", "Leases whose holder was not heard in time", leases_run_out(), "kind"
    )
    yield MetricFamily("benchsite_sheets", "Sheets of all studies, by state", sheets_by_state(), "state")
    yield MetricFamily("benchsite_items_a_minute", "Answers of models in the last minute", {"": in_last(ModelResponse)})
    yield MetricFamily("benchsite_judgments_a_minute", "Answers of people in the last minute", {"": in_last(Judgment)})
    yield MetricFamily(
        "benchsite_stale_standings", "Rows of boards whose answers have changed since", stale(), "source"
    )

    yield MetricFamily(
        "benchsite_maintenance", "1 while readers see the page of maintenance", {"": float(bool(current()))}
    )


def queue_depth() -> dict[str, float]:
    """Waiting shards of runs, uploads to check and batches of clips to make."""
    live = Q(run__in=Run.objects.unfinished())
    making = ProductionBatch.objects.filter(done_at=None, production__state=ProductionState.MAKING)
    return {
        "shards": Shard.objects.filter(UNFINISHED, live).exclude(state=ShardState.LEASED).count(),
        "uploads": Upload.objects.filter(state=UploadState.WAITING).count(),
        "batches": making.count(),
    }


def runs_by_state() -> dict[str, float]:
    counted = Run.objects.unfinished().order_by().values_list("state").annotate(Count("pk"))
    return {RunState.QUEUED.value: 0.0, RunState.RUNNING.value: 0.0} | dict(counted)


def sheets_by_state() -> dict[str, float]:
    counted = Sheet.objects.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(SheetState.values, 0.0) | dict(counted)


def lease_ages(now: datetime) -> dict[str, float]:
    """Seconds since the oldest heartbeat of a leased shard; 0 without one."""
    oldest = Shard.objects.filter(state=ShardState.LEASED).aggregate(at=Min("heartbeat_at"))["at"]
    return {"shard": max(0.0, (now - oldest).total_seconds()) if oldest else 0.0}


def leases_run_out() -> dict[str, float]:
    return {
        "shard": Shard.objects.filter(state=ShardState.LEASED, lease_until__lt=Now()).count(),
        "sheet": Sheet.objects.filter(state=SheetState.LEASED, lease_until__lt=Now()).count(),
    }


def in_last(model: type[Model], since: timedelta = MINUTE) -> float:
    """Rows created within `since`, counted from the newest key down."""
    rows: Any = model._default_manager.order_by("-pk").values_list("created_at", flat=True)[:COUNTED_AT_MOST]
    start, count = timezone.now() - since, 0
    for at in rows.iterator(chunk_size=500):
        if at < start:
            break
        count += 1
    return float(count)


def stale() -> dict[str, float]:
    return {"runs": stale_runs().count(), "trials": stale_trials().count()}
