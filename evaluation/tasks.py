"""Doorways for workers: ids in, one call. Each can run twice without harm."""

from contextlib import suppress

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.core.management import call_command

from evaluation.errors import Stopped
from evaluation.submissions import queueing
from evaluation.submissions.storing import sweep_half_stored
from evaluation.working import STOPPING, SWEEP_SECONDS, sweep, work


@shared_task(acks_late=True)
def work_on_run(run_id: int) -> None:
    """The message says that this run waits; whose turn it is, the rows say."""
    with suppress(Stopped):
        work()


@shared_task(acks_late=True)
def train_model(name: str, benchmark: str, seed: int = 0, size: str = "small") -> None:
    call_command("train_baseline", name, benchmark=benchmark, seed=seed, size=size)


@shared_task
def sweep_runs() -> None:
    sweep()
    sweep_half_stored()
    queueing.sweep()


@shared_task
def check_uploads() -> None:
    """Only starts the process: a large file would keep this worker from its other duties."""
    queueing.start_checking()


@worker_ready.connect
def look_for_work(**kwargs: object) -> None:
    """A worker that starts after a crash need not wait for the clock."""
    sweep_runs.apply_async(expires=SWEEP_SECONDS)


@worker_shutting_down.connect
def leave_after_this_answer(**kwargs: object) -> None:
    """A polite stop gives the shard back at once instead of letting its lease run out."""
    STOPPING.set()
