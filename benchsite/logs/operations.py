"""Endpoints for monitoring, /healthz, /readyz and /metrics, and the Operations page for staff with its content."""

import contextlib
import ipaddress
import json
import os
import secrets
import subprocess  # nosec B404
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psutil
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db import connection
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from benchmarks import leasing
from benchmarks.models import Production, ProductionState
from benchmarks.policy import KEEP
from benchsite.logs.health import look
from benchsite.logs.heartbeats import signs
from benchsite.logs.metrics import broker_messages, free_bytes, open_studies, page_of_metrics, queue_depth
from evaluation.models import Run, RunState, Upload, UploadState
from evaluation.runs.completion import site

LATELY = KEEP["errors"].period
CARD_FIELDS = ("name", "memory.used", "memory.total", "utilization.gpu")
CARD_SECONDS = 2.0  # to wait for the cards' program
LAST_BACKUP = "last-backup.json"


@dataclass(frozen=True)
class ErrorKind:
    """Failures of one kind within a week, and the message of the newest."""

    what: str
    count: int
    newest_at: datetime
    reason: str
    address: str = ""


def errors() -> list[ErrorKind]:
    """Failed runs by code, uploads and productions of the last week, newest first."""
    return sorted(_errors(leasing.database_now() - LATELY), key=lambda error: error.newest_at, reverse=True)


def _errors(since: datetime) -> Iterator[ErrorKind]:
    runs = Run.objects.filter(state=RunState.FAILED, finished_at__gte=since).order_by("-finished_at")
    for code, count in runs.order_by("code").values_list("code").annotate(Count("pk")):
        run = runs.filter(code=code)[0]
        assert run.finished_at
        yield ErrorKind(f"run: {code or 'other'}", count, run.finished_at, run.reason, run.get_absolute_url())
    uploads = Upload.objects.filter(Q(state=UploadState.FAILED), ended_at__gte=since).order_by("-ended_at")
    if (upload := uploads.first()) and upload.ended_at:
        yield ErrorKind("upload", uploads.count(), upload.ended_at, upload.reason)
    productions = Production.objects.filter(state=ProductionState.FAILED, updated_at__gte=since).order_by("-updated_at")
    if one := productions.first():
        yield ErrorKind(
            "production", productions.count(), one.updated_at, f"{one.benchmark}/{one.pack_name}: {one.note}"
        )


def queues() -> dict[str, int | str]:
    """What waits in the database and in the broker, and how much."""
    messages = {f"{name} queue": count for name, count in broker_messages().items()}
    return {**queue_depth(), **(messages or {"queues": "the broker does not answer"})}


def machine() -> list[tuple[str, str]]:
    """(name, value) about the machine that answers."""
    about, memory = site(), psutil.virtual_memory()
    return [
        ("load", f"{', '.join(f'{load:.2f}' for load in os.getloadavg())} on {os.cpu_count()} cores (1, 5, 15 min)"),
        ("memory", f"{memory.used / 1e9:.1f} of {memory.total / 1e9:.1f} GB used"),
        *(("GPU", each) for each in graphics_cards() or ["none"]),
        ("disk", f"{free_bytes() / 1e9:.1f} GB free"),
        ("database", connection.vendor),
        ("mail", "by a mail server" if settings.EMAIL_URL else "printed into the log: EMAIL_URL is not set"),
        ("last backup", last_backup()),
        ("version", f"{about['version']} {about['commit'][:12]}".strip()),
    ]


def graphics_cards() -> list[str]:
    """Name, memory and load of each NVIDIA card of this host; none where their program is missing or fails."""
    command = ["nvidia-smi", f"--query-gpu={','.join(CARD_FIELDS)}", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=CARD_SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    cards = [[field.strip() for field in line.split(",")] for line in listed.splitlines() if line.strip()]
    return [f"{name}: {used} of {total} MiB used, {busy} % busy" for name, used, total, busy in cards]


def note_backup(facts: dict[str, Any]) -> None:
    """Record on this machine that a complete backup was written; a backup changes no row."""
    record = {"at": leasing.database_now().isoformat(), "bytes": facts["bytes"]}
    with contextlib.suppress(OSError):  # the backup itself is complete
        (settings.VAR_DIR / LAST_BACKUP).write_text(json.dumps(record))


def last_backup() -> str:
    try:
        record = json.loads((settings.VAR_DIR / LAST_BACKUP).read_text())
        at, size = datetime.fromisoformat(record["at"]), record["bytes"] / 1e6
    except (OSError, ValueError, KeyError, TypeError):
        return "none was made on this machine"
    hours = (leasing.database_now() - at).total_seconds() / 3600
    return f"{at:%Y-%m-%d %H:%M} UTC, {hours:.0f} h ago, {size:.1f} MB"


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Liveness: the process answers. Nothing else is checked, because a failure would restart the process."""
    return JsonResponse({"ok": True})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Readiness, for load balancers: 200 if this process may get visitors, else 503."""
    is_ready, found = look()
    return JsonResponse({"ok": is_ready, "checks": found}, status=200 if is_ready else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus: with METRICS_TOKEN, or, if none is set, from this machine without a proxy."""
    if not may_read(request):
        words = "Metrics are read with the key METRICS_TOKEN, or, where none is set, on the same machine.\n"
        return HttpResponse(words, status=403, content_type="text/plain")
    return HttpResponse(page_of_metrics(), content_type=CONTENT_TYPE_LATEST)


@require_safe
@login_required
def operations(request: HttpRequest) -> HttpResponse:
    """The operations page, for staff: what runs, waits and fails."""
    if not request.user.is_staff:
        raise Http404
    is_ready, found = look()
    facts = {
        "now": leasing.database_now(),
        "is_ready": is_ready,
        "wrong": [(name, message) for name, message in found.items() if message != "ok"],
        "checks": list(found),
        "signs": signs(),
        "queues": queues().items(),
        "machine": machine(),
        "errors": errors(),
        "studies": open_studies(),
        "section": "account",
    }
    response = render(request, "operations.html", facts)
    response["Cache-Control"] = "private, no-store"
    return response


def may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return secrets.compare_digest(token.encode(errors="replace"), settings.METRICS_TOKEN.encode())
    return "X-Forwarded-For" not in request.headers and _is_here(request.META.get("REMOTE_ADDR", ""))


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


urlpatterns = [
    path("healthz", health, name="healthz"),
    path("readyz", ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("operations/", operations, name="operations"),
]
