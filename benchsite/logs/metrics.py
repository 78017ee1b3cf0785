"""Metrics at /metrics for Prometheus: requests, by django-prometheus, and the state of the site, by one collector.

Web processes note requests in PROMETHEUS_MULTIPROC_DIR, and whichever is asked adds them up. The state is read from the
database, so every machine reports the same.
"""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest
from django_prometheus.middleware import PrometheusAfterMiddleware
from django_prometheus.utils import Time
from prometheus_client import CollectorRegistry, generate_latest, multiprocess, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from benchmarks import leasing
from benchmarks.leasing import expired
from benchmarks.models import ProductionBatch, ProductionState
from benchmarks.policy import HOUR
from benchsite.logs.heartbeats import signs
from benchsite.logs.request_logging import page_name
from evaluation.models import Run, RunCode, RunState, Shard, ShardState, Upload, UploadState
from evaluation.queue.leases import UNFINISHED
from humantrials.models import Sheet, SheetState, Trial, TrialState
from humantrials.running.attrition import people_of
from humantrials.running.monitoring import progress_of
from leaderboard.standings.refresh import stale_runs, stale_trials

BROKER_SECONDS = 1.0  # to wait for the broker's answer; metrics are read every few seconds
QUEUES = ("gpu", "cpu", "default")
STALLED = HOUR  # an open study with sheets left counts as stalled if nobody finishes for this long


class RequestMetrics(PrometheusAfterMiddleware):
    """Counts and times requests by the names of pages, so that strangers can't create new series."""

    def process_request(self, request: HttpRequest) -> None:
        """Start the time alone: the library also reads a body's length, and fails if a visitor wrote no number."""
        request.prometheus_after_middleware_event = Time()  # type: ignore[attr-defined]

    def _get_view_name(self, request: HttpRequest) -> str:
        return page_name(request)

    def label_metric(self, metric: Any, request: HttpRequest, response: Any = None, **labels: str) -> Any:
        if "method" in labels:
            labels["method"] = self._method(request)
        return super().label_metric(metric, request, response, **labels)


class SiteCollector(Collector):
    """Reads the state of queues, leases, processes and studies at each scrape."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield gauge("queue_depth", "Work that waits for a worker", "queue", queue_depth())
        yield gauge("broker_messages", "Messages that wait in the broker", "queue", broker_messages())
        yield gauge("runs", "Unfinished runs, by state", "state", runs_by_state())
        yield gauge("runs_failed", "All failed runs, by the code of their failure", "code", runs_failed())
        yield gauge("lease_age_seconds", "Age of the oldest heartbeat among lease holders", "kind", lease_ages())
        yield gauge("leases_run_out", "Leases whose holder sent no heartbeat in time", "kind", leases_run_out())
        yield gauge("sheets", "Sheets of all studies, by state", "state", sheets_by_state())
        stale = {"runs": stale_runs().count(), "trials": stale_trials().count()}
        yield gauge("stale_standings", "Rows of boards whose answers have changed", "source", stale)
        yield gauge("free_bytes", "Free space on the disk of DATA_DIR", "", {(): free_bytes()})
        yield from of_processes()
        yield from of_studies(open_studies())


def gauge(name: str, about: str, labels: str, found: Mapping[Any, float]) -> GaugeMetricFamily:
    """A metric with its values by label; by a tuple for several labels."""
    family = GaugeMetricFamily(f"benchsite_{name}", about, labels=labels.split())
    for at, value in found.items():
        family.add_metric(at if isinstance(at, tuple) else (at,), value)
    return family


def queue_depth() -> dict[str, int]:
    """Waiting shards of runs, uploads to check and batches of clips to make."""
    live = Q(run__in=Run.objects.unfinished())
    making = ProductionBatch.objects.filter(done_at=None, production__state=ProductionState.MAKING)
    return {
        "shards": Shard.objects.filter(UNFINISHED, live).exclude(state=ShardState.LEASED).count(),
        "uploads": Upload.objects.filter(state=UploadState.WAITING).count(),
        "batches": making.count(),
    }


def broker_messages() -> dict[str, int]:
    """Messages by queue; empty if the broker does not answer in time."""
    found: dict[str, int] = {}
    thread = threading.Thread(target=_ask_broker, args=(found,), daemon=True)
    thread.start()
    thread.join(BROKER_SECONDS)
    return dict(found)


def _ask_broker(found: dict[str, int]) -> None:
    """Fill `found`. A broken broker is reported by workers and queueing code."""
    with contextlib.suppress(Exception), current_app.connection_for_read() as broker:
        channel = broker.channel()
        for queue in QUEUES:
            with contextlib.suppress(broker.channel_errors):  # the queue is not declared yet
                found[queue] = channel.queue_declare(queue=queue, passive=True).message_count


def runs_by_state() -> dict[str, int]:
    counted = Run.objects.unfinished().order_by().values_list("state").annotate(Count("pk"))
    return {RunState.QUEUED.value: 0, RunState.RUNNING.value: 0} | dict(counted)


def runs_failed() -> dict[str, int]:
    counted = Run.objects.filter(state=RunState.FAILED).order_by().values_list("code").annotate(Count("pk"))
    return dict.fromkeys((*RunCode.values, "other"), 0) | {code or "other": number for code, number in counted}


def lease_ages() -> dict[str, float]:
    """Seconds since the oldest heartbeat of a leased shard; 0 if there is none."""
    oldest = Shard.objects.filter(state=ShardState.LEASED).aggregate(at=Min("heartbeat_at"))["at"]
    return {"shard": max(0.0, (leasing.database_now() - oldest).total_seconds()) if oldest else 0.0}


def leases_run_out() -> dict[str, int]:
    return {
        "shard": Shard.objects.filter(expired(Shard)).count(),
        "sheet": Sheet.objects.filter(expired(Sheet)).count(),
    }


def sheets_by_state() -> dict[str, int]:
    counted = Sheet.objects.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(SheetState.values, 0) | dict(counted)


def free_bytes() -> int:
    disk = os.statvfs(settings.DATA_DIR)
    return disk.f_bavail * disk.f_frsize


def of_processes() -> Iterator[GaugeMetricFamily]:
    """The silence of each process with a heartbeat within a day, and how many are ill."""
    found = signs()
    silence = {f"{sign.name}@{sign.host}": sign.silence for sign in reversed(found)}
    yield gauge("process_silence_seconds", "Age of a process's last heartbeat", "process", silence)
    ill = sum(sign.is_ill for sign in found)
    states = {"well": len(found) - ill, "ill": ill}
    yield gauge("processes", "Processes with a heartbeat within a day", "state", states)


def open_studies() -> list[dict[str, Any]]:
    """The progress of open studies, without answers."""
    return [_open_study(trial) for trial in Trial.objects.filter(state=TrialState.OPEN).order_by("slug")]


def _open_study(trial: Trial) -> dict[str, Any]:
    """`stalled_since` is the last finish or the opening, if that is long ago and sheets are left."""
    people = people_of(trial)
    progress = progress_of(trial, people)
    now, sheets, end = progress["at"], progress["sheets"], progress["pace"].finish_at
    opened = trial.events.filter(kind=TrialState.OPEN).aggregate(at=Max("at"))["at"] or trial.created_at
    last = max([opened, *(person.finished_at for person in people if person.finished_at)])
    is_stalled = sheets.done < sheets.total and last < now - STALLED
    left = (end - now).total_seconds() / 3600 if end else None
    return progress | {"trial": trial, "hours_left": left, "stalled_since": last if is_stalled else None}


def of_studies(studies: Sequence[dict[str, Any]]) -> Iterator[GaugeMetricFamily]:
    """The progress of participants in each open study, and its expected duration."""
    steps = [(study["trial"].slug, step) for study in studies for step in study["flow"]]
    reached = {(slug, step.name): step.reached for slug, step in steps}
    yield gauge("study_people", "People who reached a step of an open study", "study step", reached)
    lost = {(slug, step.name): sum(count for _, count in step.lost) for slug, step in steps}
    yield gauge("study_lost", "People who were lost before a step of an open study", "study step", lost)
    pace = {one["trial"].slug: one["pace"].finished_last_hour for one in studies}
    yield gauge("study_finished_last_hour", "People who finished in the last hour", "study", pace)
    hours = {one["trial"].slug: nan if one["hours_left"] is None else one["hours_left"] for one in studies}
    yield gauge("study_hours_left", "Hours to the last sheet; NaN while not known", "study", hours)
    stalled = {one["trial"].slug: one["stalled_since"] is not None for one in studies}
    yield gauge("study_stalled", "1 while sheets are left and nobody finished for an hour", "study", stalled)


def page_of_metrics() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    if is_shared():
        multiprocess.MultiProcessCollector(registry)
    registry.register(SiteCollector())
    return (b"" if is_shared() else generate_latest()) + generate_latest(registry)


def is_shared() -> bool:
    """Whether several processes share a folder; decided when prometheus_client was imported."""
    return values.ValueClass is not values.MutexValue
