"""Waiting for a run's end: a worker does the work, or, where none comes, this process does."""

import time
from collections.abc import Callable

from django.db.models import Q
from django.db.models.functions import Now

from evaluation.errors import ModelBusy
from evaluation.models import Cell, CellState, Run, RunState, Shard, ShardState
from evaluation.working import sweep, work_on

PATIENCE = 4.0  # seconds without a worker at the run until this process begins
PAUSE = 0.5
ENDED = (RunState.FINISHED, RunState.FAILED, RunState.CANCELLED)

Progress = Callable[[int, int], None]


def wait_for(run: Run, *, progress: Progress, nobody_came: Callable[[], None]) -> Run:
    """Give the run back when it has ended."""
    alone_since = time.monotonic()
    while run.state not in ENDED:
        if is_worked_on(run):
            alone_since = time.monotonic()
        elif time.monotonic() - alone_since > PATIENCE:
            nobody_came()
            work_here(run)
        cells = Cell.objects.filter(Q(run=run) | Q(run__judged=run))
        progress(cells.exclude(state=CellState.OPEN).count(), cells.count())
        time.sleep(PAUSE)
        run.refresh_from_db()
    return run


def is_worked_on(run: Run) -> bool:
    """Some worker holds a lease of it, or of its refereeing, that has not run out."""
    shards = Shard.objects.filter(Q(run=run) | Q(run__judged=run))
    return shards.filter(state=ShardState.LEASED, lease_until__gte=Now()).exists()


def work_here(run: Run) -> None:
    """Answer in this process what no worker holds."""
    try:
        work_on(run.pk)
    except ModelBusy:
        time.sleep(PATIENCE)
    sweep()
