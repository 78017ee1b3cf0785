"""Wakes workers. A message only says that there is work; the work itself is read from the database."""

import logging
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def notify_worker(run_id: int, **options: Any) -> bool:
    """Tell a worker that there is work; if the message queue is down, the periodic sweep wakes one later."""
    try:
        current_app.send_task("evaluation.tasks.work_on_run", args=[run_id], retry=False, **options)
    except (OperationalError, OSError) as error:
        log.warning("run %s waits for the sweeper, the queue is away: %s", run_id, error)
        return False
    return True
