"""Adds the task and the request that queued it to every log line of a task."""

import logging
import time
from typing import Any

import structlog
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun

from benchsite.celery import is_periodic

log = logging.getLogger(__name__)
REQUEST = "benchsite_request"
SLOW = 1.0  # seconds, as for requests
_began: dict[str, float] = {}


@before_task_publish.connect
def pass_on(headers: dict[str, Any] | None = None, **rest: Any) -> None:
    """Send the id of the queueing request with the message."""
    request = structlog.contextvars.get_contextvars().get("request")
    if headers is not None and request:
        headers[REQUEST] = request


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
    """Whether this was a periodic task that succeeded quickly."""
    return is_periodic(name) and state == "SUCCESS" and seconds < SLOW
