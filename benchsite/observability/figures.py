"""Figures on the site's state: queue depths, lease ages and answer rates."""

import contextlib
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import nan
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models import Count, Min, Model, Q
from django.db.models.functions import Now
from django.utils import timezone

from benchmarks.models import ProductionBatch, ProductionState
from benchsite.maintenance.state import current
from benchsite.observability import heartbeats
from benchsite.observability.open_studies import OpenStudy, open_studies
from evaluation.models import ModelResponse, Run, RunCode, RunState, Shard, ShardState, Upload, UploadState
from evaluation.queue.leases import UNFINISHED
from humantrials.models import Judgment, Sheet, SheetState
from leaderboard.standings.refresh import stale_runs, stale_trials

# Answers have no index by time, so the newest keys are counted, at most this many per minute.
COUNTED_AT_MOST = 20_000
BROKER_SECONDS = 1.0  # to wait for the broker's answer; figures are read every few seconds
QUEUES = ("gpu", "cpu", "default")
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class MetricFamily:
    """A metric with its values by label: '' if it has no label, a tuple for several labels."""

    name: str
    about: str
    values: Mapping[str, float] | Mapping[tuple[str, ...], float]
    label: str | tuple[str, ...] = ""


def figures() -> Iterator[MetricFamily]:
    now = timezone.now()
    yield MetricFamily("benchsite_queue_depth", "Work that waits for a worker", queue_depth(), "queue")
    yield MetricFamily("benchsite_runs", "Unfinished runs, by state", runs_by_state(), "state")
    yield MetricFamily(
        "benchsite_lease_age_seconds", "Age of the oldest heartbeat among lease holders", lease_ages(now), "kind"
    )
    yield MetricFamily(
        "benchsite_leases_run_out", "Leases whose holder sent no heartbeat in time", leases_run_out(), "kind"
    )
    yield MetricFamily("benchsite_sheets", "Sheets of all studies, by state", sheets_by_state(), "state")
    yield MetricFamily("benchsite_items_a_minute", "Answers of models in the last minute", {"": in_last(ModelResponse)})
    yield MetricFamily("benchsite_judgments_a_minute", "Answers of people in the last minute", {"": in_last(Judgment)})
    yield MetricFamily("benchsite_stale_standings", "Rows of boards whose answers have changed", stale(), "source")

    yield from of_processes()
    yield from of_studies(open_studies())
    yield MetricFamily("benchsite_broker_messages", "Messages that wait in the broker", broker_messages(), "queue")
    yield MetricFamily("benchsite_runs_failed", "All failed runs, by the code of their failure", runs_failed(), "code")
    yield MetricFamily("benchsite_free_bytes", "Free space on the disk of DATA_DIR", {"": float(free_bytes())})
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


def of_processes() -> Iterator[MetricFamily]:
    """The number of processes with a heartbeat within a day, and the number of those that are ill."""
    signs = heartbeats.signs()
    silence = {f"{sign.name}@{sign.host}": sign.silence for sign in reversed(signs)}
    yield MetricFamily("benchsite_process_silence_seconds", "Age of a process's last heartbeat", silence, "process")
    ill = sum(sign.is_ill for sign in signs)
    states = {"well": float(len(signs) - ill), "ill": float(ill)}
    yield MetricFamily("benchsite_processes", "Processes with a heartbeat within a day", states, "state")


def of_studies(studies: Sequence[OpenStudy]) -> Iterator[MetricFamily]:
    """The progress of participants in each open study, and its expected duration."""
    reached: dict[tuple[str, ...], float] = {
        (one.trial.slug, step.name): float(step.reached) for one in studies for step in one.flow
    }
    lost: dict[tuple[str, ...], float] = {
        (one.trial.slug, step.name): float(sum(count for _, count in step.lost)) for one in studies for step in one.flow
    }
    pace = {one.trial.slug: float(one.pace.finished_last_hour) for one in studies}
    hours = {one.trial.slug: nan if one.hours_left is None else one.hours_left for one in studies}
    stalled = {one.trial.slug: float(one.stalled_since is not None) for one in studies}
    by_step = ("study", "step")
    yield MetricFamily("benchsite_study_people", "People who reached a step of an open study", reached, by_step)
    yield MetricFamily("benchsite_study_lost", "People who were lost before a step of an open study", lost, by_step)
    yield MetricFamily("benchsite_study_finished_last_hour", "People who finished in the last hour", pace, "study")
    yield MetricFamily("benchsite_study_hours_left", "Hours to the last sheet; NaN while not known", hours, "study")
    yield MetricFamily(
        "benchsite_study_stalled", "1 while sheets are left and nobody finished for an hour", stalled, "study"
    )


def broker_messages() -> dict[str, float]:
    """Messages by queue; empty if the broker does not answer in time."""
    found: dict[str, float] = {}
    thread = threading.Thread(target=_ask_broker, args=(found,), daemon=True)
    thread.start()
    thread.join(BROKER_SECONDS)
    return dict(found)


def _ask_broker(found: dict[str, float]) -> None:
    """Fill `found`. A broken broker is reported by workers and queueing code."""
    with contextlib.suppress(Exception), current_app.connection_for_read() as broker:
        channel = broker.channel()
        for queue in QUEUES:
            with contextlib.suppress(broker.channel_errors):  # the queue is not declared yet
                found[queue] = float(channel.queue_declare(queue=queue, passive=True).message_count)


def runs_failed() -> dict[str, float]:
    counted = Run.objects.filter(state=RunState.FAILED).order_by().values_list("code").annotate(Count("pk"))
    found = dict.fromkeys(RunCode.values, 0.0) | {code or "other": float(number) for code, number in counted}
    return {"other": 0.0} | found


def free_bytes() -> int:
    return shutil.disk_usage(settings.DATA_DIR).free


def runs_by_state() -> dict[str, float]:
    counted = Run.objects.unfinished().order_by().values_list("state").annotate(Count("pk"))
    return {RunState.QUEUED.value: 0.0, RunState.RUNNING.value: 0.0} | dict(counted)


def sheets_by_state() -> dict[str, float]:
    counted = Sheet.objects.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(SheetState.values, 0.0) | dict(counted)


def lease_ages(now: datetime) -> dict[str, float]:
    """Seconds since the oldest heartbeat of a leased shard; 0 if there is none."""
    oldest = Shard.objects.filter(state=ShardState.LEASED).aggregate(at=Min("heartbeat_at"))["at"]
    return {"shard": max(0.0, (now - oldest).total_seconds()) if oldest else 0.0}


def leases_run_out() -> dict[str, float]:
    return {
        "shard": Shard.objects.filter(state=ShardState.LEASED, lease_until__lt=Now()).count(),
        "sheet": Sheet.objects.filter(state=SheetState.LEASED, lease_until__lt=Now()).count(),
    }


def in_last(model: type[Model], since: timedelta = MINUTE) -> float:
    """The number of rows created within `since`, counted from the newest key down."""
    rows: Any = model._default_manager.order_by("-pk").values_list("created_at", flat=True)[:COUNTED_AT_MOST]
    start, count = timezone.now() - since, 0
    for at in rows.iterator(chunk_size=500):
        if at < start:
            break
        count += 1
    return float(count)


def stale() -> dict[str, float]:
    return {"runs": stale_runs().count(), "trials": stale_trials().count()}
