"""Celery tasks: each takes ids, makes one call and is safe to run twice."""

from contextlib import suppress

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down

from benchmarks.leasing import queue_task
from evaluation.errors import Stopped
from evaluation.submissions.store import upload_queue
from evaluation.submissions.store.submit import sweep_half_stored
from evaluation.workers.loop import STOPPING, SWEEP_SECONDS, sweep, work


@shared_task(acks_late=True)
def work_on_run(run_id: int) -> None:
    """Answer a shard of any run; the message only wakes a worker, and the database decides which run is next."""
    with suppress(Stopped):
        work()


@shared_task
def sweep_runs() -> None:
    sweep()
    sweep_half_stored()
    upload_queue.sweep()


@shared_task
def check_uploads() -> None:
    """Start the checking process: in this worker a file would delay other tasks."""
    upload_queue.start_checking()


@worker_ready.connect
def look_for_work(**kwargs: object) -> None:
    """Look for work when a worker starts, so that work left by a crash need not wait for the next periodic sweep."""
    queue_task(sweep_runs.name, expires=SWEEP_SECONDS)


@worker_shutting_down.connect
def leave_after_this_answer(**kwargs: object) -> None:
    """On a warm shutdown return the shard at once instead of letting its lease expire."""
    STOPPING.set()
