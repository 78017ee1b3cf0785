"""Pauses workers during maintenance: tasks return at once, and a run returns its shard after the current answer.

No task is lost: the queue only wakes workers, and due work is read from the database afterwards.
"""

import logging
import threading
from typing import Any

from celery import Task
from celery.signals import worker_ready, worker_shutting_down
from django.db import connection

from benchsite.celery import is_periodic
from evaluation.workers.loop import STOPPING

LOOK_SECONDS = 2.0
log = logging.getLogger(__name__)
_is_leaving = threading.Event()


class PausedTask(Task):
    """A task that does nothing during maintenance."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from benchsite.maintenance.state import current  # models are not loaded yet when the Celery app is made

        if current():
            level = logging.DEBUG if is_periodic(self.name) else logging.INFO
            log.log(level, "not done, the site is under maintenance", extra={"name_of_task": self.name})
            return None
        return super().__call__(*args, **kwargs)


@worker_ready.connect
def start_maintenance_watch(**rest: Any) -> None:
    threading.Thread(target=look_again_and_again, name="maintenance", daemon=True).start()


@worker_shutting_down.connect
def leave(**rest: Any) -> None:
    _is_leaving.set()


def look_again_and_again() -> None:
    """Check for maintenance in a background thread until the worker ends."""
    is_paused = False
    while not _is_leaving.wait(LOOK_SECONDS):
        is_paused = look(is_paused)


def look(is_paused: bool) -> bool:
    """Pause or continue if the state has changed; return whether the worker is now paused."""
    from benchsite.maintenance.state import current

    try:
        is_on = current() is not None
    finally:
        connection.close()
    if is_on and not is_paused:
        STOPPING.set()
    elif is_paused and not is_on and not _is_leaving.is_set():
        STOPPING.clear()
    return is_on
