"""What Celery's processes add: task and queueing request to every log line, heartbeats, and a robust schedule."""

import logging
import os
import time
from datetime import datetime, timedelta
from typing import Any

import structlog
from celery.beat import PersistentScheduler
from celery.signals import (
    beat_init,
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutdown,
)
from django.conf import settings

from benchmarks.policy import DAY, KEEP

log = logging.getLogger(__name__)
REQUEST = "benchsite_request"
SLOW = 1.0  # seconds, as for requests
AHEAD = timedelta(seconds=2)
CLOCKS_APART = KEEP["messages"].period  # at most, of hosts that share a queue
_began: dict[str, float] = {}
_ticked_at = 0.0


@before_task_publish.connect
def pass_on(headers: dict[str, Any] | None = None, **rest: Any) -> None:
    """Send the id of the queueing request with the message."""
    request = structlog.contextvars.get_contextvars().get("request")
    if headers is not None and request:
        headers[REQUEST] = request


@before_task_publish.connect
def let_clocks_differ(headers: dict[str, Any] | None = None, **rest: Any) -> None:
    """Let a message expire later, for it does so by its reader's clock: one that is ahead would drop every message.

    RabbitMQ drops it in time by its own clock, and a queue in a folder has one host.
    """
    if headers and headers.get("expires") and not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        headers["expires"] = (datetime.fromisoformat(headers["expires"]) + CLOCKS_APART).isoformat()


@setup_logging.connect
def leave_logging_alone(**rest: Any) -> None:
    """Keep Django's logging setup, because Celery would set the root logger's level."""


@task_prerun.connect
def bind(task_id: str, task: Any, **rest: Any) -> None:
    structlog.contextvars.clear_contextvars()
    request = getattr(task.request, REQUEST, None)
    structlog.contextvars.bind_contextvars(task=task_id, **({"request": request} if request else {}))
    _began[task_id] = time.perf_counter()


@task_postrun.connect
def tell(task_id: str, task: Any, state: str | None = None, **rest: Any) -> None:
    seconds = time.perf_counter() - _began.pop(task_id, time.perf_counter())
    level = logging.DEBUG if is_routine(task.name, state, seconds) else logging.INFO
    log.log(level, "task", extra={"name_of_task": task.name, "state": state, "seconds": round(seconds, 2)})
    structlog.contextvars.clear_contextvars()


def is_routine(name: str, state: str | None, seconds: float) -> bool:
    """Whether the clock asked for this and it succeeded quickly; lines of each such run would hide all others."""
    is_periodic = any(entry["task"] == name for entry in settings.CELERY_BEAT_SCHEDULE.values())
    return is_periodic and state == "SUCCESS" and seconds < SLOW


def note_tick() -> None:
    """Record that the clock checked its schedule."""
    global _ticked_at
    _ticked_at = time.monotonic()


@worker_ready.connect
def start_workers(sender: Any = None, **rest: Any) -> None:
    from benchsite.logs.heartbeats import Heart  # models are not loaded yet when the Celery app is made

    Heart(sender.hostname.partition("@")[0], "worker").start()


@beat_init.connect
def start_clocks(**rest: Any) -> None:
    """Start the clock's heartbeat, which requires ticks: a mere thread would beat on although the schedule hangs."""
    from benchsite.logs.heartbeats import SILENT, Heart

    note_tick()
    Heart("clock", "clock", lives=lambda: time.monotonic() - _ticked_at < SILENT).start()


@worker_shutdown.connect
def leave(**rest: Any) -> None:
    from benchsite.logs.heartbeats import note_end

    note_end([os.getpid()])


class BeatScheduler(PersistentScheduler):
    """Resets last runs in the future, until which Celery's scheduler would wait once a machine's clock is set back."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        note_tick()
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at > now + AHEAD:
                log.warning("the machine's clock was set back: %s is due again", entry.name)
                entry.last_run_at = now - DAY
                self._heap = None  # rebuilt, because its order follows the wrong times
        return super().tick(*args, **kwargs)
