"""Messages to workers. They carry nothing but the hint that there is work: what is due is read from the rows."""

import logging
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def wake(run_id: int, **options: Any) -> bool:
    """Tell a worker that there is work; a queue that is away loses nothing, the sweeper wakes again."""
    try:
        current_app.send_task("evaluation.tasks.work_on_run", args=[run_id], retry=False, **options)
    except (OperationalError, OSError) as error:
        log.warning("run %s waits for the sweeper, the queue is away: %s", run_id, error)
        return False
    return True
