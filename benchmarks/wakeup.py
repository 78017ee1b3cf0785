"""Messages to workers that read uploads and make packs. Rows record due work, so a lost message is sent again."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

FOLDER = "benchmarks.tasks.read_folder"
log = logging.getLogger(__name__)


def queue_task(task: str, pk: int) -> None:
    """Queue a task for an upload or a production; if the queue is down, the sweep does so within a minute."""
    try:
        current_app.send_task(task, args=[pk], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("%s of %s waits for the sweep, the queue is away: %s", task, pk, error)
