"""Heartbeats of Celery's processes; Celery's signals start those of workers and clocks."""

import os
import time
from typing import Any

from celery.signals import beat_init, task_prerun, worker_ready, worker_shutdown

_ticked_at = 0.0


def note_tick() -> None:
    """Record that the clock checked its schedule."""
    global _ticked_at
    _ticked_at = time.monotonic()


@worker_ready.connect
def start_workers(sender: Any = None, **rest: Any) -> None:
    from benchsite.observability.heartbeats import Heart  # models are not loaded yet when the Celery app is made

    queues = sender.app.amqp.queues.consume_from
    Heart(sender.hostname.partition("@")[0], "worker", queues=tuple(queues)).start()


@beat_init.connect
def start_clocks(**rest: Any) -> None:
    """Start the clock's heartbeat, which requires ticks: a mere thread would beat on although the schedule hangs."""
    from benchsite.observability.heartbeats import SILENT, Heart

    note_tick()
    Heart("clock", "clock", lives=lambda: time.monotonic() - _ticked_at < SILENT).start()


@worker_shutdown.connect
def leave(**rest: Any) -> None:
    from benchsite.observability.heartbeats import forget

    forget([os.getpid()])


@task_prerun.connect
def note(task: Any = None, **rest: Any) -> None:
    from benchsite.observability.heartbeats import note_task

    note_task(task.name)
