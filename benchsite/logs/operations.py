"""The content of the Operations page: processes, checks, queues, errors, studies, machine and versions."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Q

from benchmarks import leasing
from benchmarks.models import Production, ProductionState
from benchmarks.policy import KEEP
from benchsite.logs.metrics import broker_messages, free_bytes, queue_depth
from evaluation.models import Run, RunState, Upload, UploadState
from evaluation.runs.completion import site

LATELY = KEEP["errors"].period
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
    return sorted(_errors(leasing.database_now() - LATELY), key=lambda one: one.newest_at, reverse=True)


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
    messages = {f"messages for {name}": count for name, count in broker_messages().items()}
    return {**queue_depth(), **(messages or {"messages": "the broker does not answer"})}


def machine() -> list[tuple[str, str]]:
    """(name, value) about the machine that answers."""
    about = site()
    return [
        ("free on the disk", f"{free_bytes() / 1e9:.1f} GB"),
        ("database", connection.vendor),
        ("mail", "by a mail server" if settings.EMAIL_URL else "printed into the log: EMAIL_URL is not set"),
        ("last backup", last_backup()),
        ("version", f"{about['version']} {about['commit']}".strip()),
    ]


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
