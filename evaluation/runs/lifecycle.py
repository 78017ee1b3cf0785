"""Starts, cancels and resumes runs; whatever is refused writes nothing."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Unpack

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from accounts.models import User
from benchmarks.leasing import revoke
from benchmarks.models import Item, Pack
from evaluation.errors import RunMisused
from evaluation.models import (
    CellState,
    Listing,
    Model,
    Priority,
    Run,
    RunCode,
    RunKind,
    RunQuerySet,
    RunState,
    Shard,
    ShardState,
)
from evaluation.queue.leases import CEILING, release
from evaluation.queue.quotas import check_quota
from evaluation.queue.scheduling import notify_worker
from evaluation.queue.shards import add_cells
from evaluation.referees.rubric_selection import check_referee
from evaluation.runs.completion import settle
from evaluation.runs.spec import RunNames, chosen, left_out, selected_items


@transaction.atomic
def start_run(
    *,
    model: Model,
    pack: Pack,
    strategy: str,
    referee: Model | None = None,
    rubric: str = "",
    owner: User | None = None,
    listing: str = Listing.LISTED,
    priority: int = Priority.NORMAL,
    ceiling: Mapping[str, float] | None = None,
    **names: Unpack[RunNames],
) -> Run:
    """Create the run with all its cells, then wake a worker; RunMisused lists the existing names.

    Omitted values come from the benchmark's definition: the strategy's own condition and split, its first parser.
    With a referee the run ends once its answers are scored. `ceiling` is what `checked_ceiling` returns.
    """
    choice = chosen(model=model, pack=pack, strategy=strategy, **names)
    check_quota(owner)
    run = Run.objects.create(
        model=model,
        pack=pack,
        owner=owner,
        listing=listing,
        priority=priority,
        referee=referee.slug if referee else "",
        rubric=rubric,
        card=_known_facts(left_out=left_out(pack, choice), **{CEILING: dict(ceiling or {})}),
        **choice.fields,
    )
    add_cells(run, [(item, seed) for item in selected_items(pack, choice) for seed in choice.seeds])
    check_referee(referee, rubric, pack.benchmark, Item.objects.filter(cells__run=run))
    transaction.on_commit(lambda: notify_worker(run.pk))
    return run


def ensure_runs(pack: Pack, model: Model, strategies: Iterable[str], **how: Any) -> Iterator[Run]:
    """Queue the runs of this model that do not exist yet; `how` are further arguments of `start_run`."""
    for strategy in strategies:
        options = {name: value for name, value in how.items() if name != "priority"}
        standing = Run.objects.filter(model=model, pack=pack, strategy=strategy, **options).exclude(
            state__in=(RunState.FAILED, RunState.CANCELLED)
        )
        yield standing.first() or start_run(model=model, pack=pack, strategy=strategy, **how)


def _known_facts(**facts: Any) -> dict[str, Any]:
    """The facts that are not empty."""
    return {name: value for name, value in facts.items() if value}


@transaction.atomic
def cancel_run(*, run: Run) -> bool:
    """Stop a run and its refereeing, and keep their answers. False if it had already ended."""
    stages = [stage.pk for stage in run.refereeings.unfinished()]
    going = Run.objects.unfinished().filter(pk__in=[run.pk, *stages])
    cancelled = going.move_to(RunState.CANCELLED, finished_at=Now())
    for pk in (run.pk, *stages) if cancelled else ():
        release(run_id=pk)
    if run.judged_id and cancelled:
        settle(run.judged_id)
    run.refresh_from_db()
    return bool(cancelled)


def in_progress(owner: User | None = None) -> RunQuerySet:
    """Runs and refereeings that workers answer or will, of one user or of everybody; a run before its refereeing."""
    going = Run.objects.unfinished().exclude(kind=RunKind.UPLOADED).order_by("pk")
    return going if owner is None else going.filter(Q(owner=owner) | Q(judged__owner=owner))


def stop_runs(owner: User | None = None) -> list[Run]:
    """The emergency stop: cancel all runs in progress, of one user or of everybody; return those that this stopped.

    Runs that start meanwhile are stopped, too, and what a worker has in hand is refused when it comes.
    """
    tried: dict[int, bool] = {}
    while going := list(in_progress(owner).exclude(pk__in=tried)):
        tried |= {run.pk: cancel_run(run=run) for run in going}
    return list(Run.objects.select_related("model").filter(pk__in=[pk for pk in tried if tried[pk]]).order_by("pk"))


@transaction.atomic
def resume_run(*, run: Run) -> int:
    """Ask every unanswered question again with fresh attempts, where that can help; return their number."""
    _refuse_upload(run)
    unanswered = Q(state__in=(CellState.OPEN, CellState.FAILED), is_lasting=False)
    count = run.cells.filter(unanswered).count()
    if run.state in (RunState.FAILED, RunState.CANCELLED):
        _open_again(run, unanswered)
        count += sum(resume_run(run=stage) for stage in run.refereeings.filter(model__slug=run.referee))
        if count:
            _queue_again(run)
    return _woken(run, count)


@transaction.atomic
def retry_run(*, run: Run) -> int:
    """Ask the failed questions again, also those that would fail again unless a person changed something, and even
    while the run continues; return their number.
    """
    _refuse_upload(run)
    if run.state == RunState.CANCELLED:
        raise RunMisused(f"run {run.pk} was cancelled: resume it, which asks all that has no answer")
    count = _open_again(run, Q(state=CellState.FAILED))
    if count and run.state == RunState.FAILED:
        _queue_again(run)
    return _woken(run, count)


def _woken(run: Run, count: int) -> int:
    """Wake a worker for so many questions, and return their number."""
    if count:
        transaction.on_commit(lambda: notify_worker(run.pk))
    run.refresh_from_db()
    return count


@transaction.atomic
def set_priority(*, run: Run, priority: int) -> None:
    """Set the priority of the run and its refereeing, effective from the next shard."""
    if priority not in Priority.values:
        raise RunMisused(f"priority {priority}: {', '.join(f'{each.value} ({each.label})' for each in Priority)}")
    Run.objects.filter(Q(pk=run.pk) | Q(judged=run)).update(priority=priority)
    run.refresh_from_db()


def _open_again(run: Run, which: Q) -> int:
    """Reopen these cells and their shards with fresh attempts, except leased shards. Return the number of cells."""
    cells = run.cells.filter(which).exclude(shard__state=ShardState.LEASED)
    shards, count = list(cells.values_list("shard_id", flat=True).distinct()), cells.count()
    cells.update(state=CellState.OPEN, reason="", is_lasting=False)
    revoke(Shard.objects.filter(pk__in=shards), ShardState.OPEN, attempts=0, reason="")
    return count


def _queue_again(run: Run) -> None:
    """Queue the run again, and with it a run that failed because this one, its referee, failed."""
    waiting = Q(refereeings=run, state=RunState.FAILED, code=RunCode.UNSCORED)
    Run.objects.filter(Q(pk=run.pk) | waiting).move_to(RunState.QUEUED)


def _refuse_upload(run: Run) -> None:
    if run.kind == RunKind.UPLOADED:
        raise RunMisused(f"run {run.pk} was uploaded: there is no model to ask again")
