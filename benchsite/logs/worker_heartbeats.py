"""Heartbeats of Celery's processes; Celery's signals start those of workers and clocks."""

import os
import time
from typing import Any

from celery.signals import beat_init, worker_ready, worker_shutdown

_ticked_at = 0.0


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
