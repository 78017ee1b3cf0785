"""Runs are started, cancelled and taken up again here; everything is checked before anything is written."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from accounts.models import User
from benchmarks.models import Item, Pack
from evaluation.choosing import chosen, left_out, selected_items
from evaluation.errors import RunMisused
from evaluation.finishing import settle
from evaluation.leasing import release
from evaluation.models import CellState, Listing, Model, Priority, Run, RunCode, RunKind, RunState, Shard, ShardState
from evaluation.quotas import check_quota
from evaluation.refereeing.choosing import check_referee
from evaluation.waking import wake
from evaluation.writing import add_cells


@transaction.atomic
def start_run(
    *,
    model: Model,
    pack: Pack,
    strategy: str,
    condition: str | None = None,
    split: str | None = None,
    sampler: str | None = None,
    sampling: Mapping[str, Any] | None = None,
    seeds: Sequence[int] = (0,),
    parser: str | None = None,
    referee: Model | None = None,
    rubric: str = "",
    limit: int | None = None,
    only: Mapping[str, Sequence[str]] | None = None,
    owner: User | None = None,
    listing: str = Listing.LISTED,
    priority: int = Priority.NORMAL,
) -> Run:
    """Write the run with all its cells, then wake a worker; RunMisused names what exists when something does not.

    What is left out comes from the benchmark's definition: the strategy's own condition and split, its first parser.
    With a referee the run ends when its answers are scored.
    """
    choice = chosen(
        model=model, pack=pack, strategy=strategy, condition=condition, split=split, sampler=sampler,
        sampling=sampling or {}, seeds=seeds, parser=parser,
    )  # fmt: skip
    if owner:
        check_quota(owner)
    items = selected_items(pack, choice, only=only or {}, limit=limit)
    without_clips = left_out(pack, choice, only=only or {})
    run = Run.objects.create(
        model=model, pack=pack, revision=model.revision, limit=limit, only=dict(only or {}), owner=owner,
        listing=listing, priority=priority, referee=referee.slug if referee else "", rubric=rubric,
        card={"left_out": without_clips} if without_clips else {}, **choice.fields,
    )  # fmt: skip
    add_cells(run, [(item, seed) for item in items for seed in choice.seeds])
    if referee:
        check_referee(referee, rubric, pack.benchmark, Item.objects.filter(cells__run=run))
    elif rubric:
        raise RunMisused(f"the rubric {rubric} is for a referee: name one, or leave it out")
    transaction.on_commit(lambda: wake(run.pk))
    return run


@transaction.atomic
def cancel_run(*, run: Run) -> bool:
    """Stop a run and its refereeing; what was answered stays. False when it had ended before."""
    stages = [stage.pk for stage in run.refereeings.unfinished()]
    cancelled = Run.objects.unfinished().filter(pk__in=[run.pk, *stages]).update(
        state=RunState.CANCELLED, finished_at=Now(), code="", reason="", busy_since=None, rest_until=None,
        answers_version=F("answers_version") + 1,
    )  # fmt: skip
    for pk in (run.pk, *stages) if cancelled else ():
        release(run_id=pk)
    if run.judged_id and cancelled:
        settle(run.judged_id)
    run.refresh_from_db()
    return bool(cancelled)


@transaction.atomic
def resume_run(*, run: Run) -> int:
    """Ask again what has no answer, from now with fresh attempts; how many questions that are."""
    _refuse_upload(run)
    count = run.cells.exclude(state=CellState.ANSWERED).count()
    if run.state in (RunState.FAILED, RunState.CANCELLED):
        _open_again(run, Q(state__in=(CellState.OPEN, CellState.FAILED)))
        count += sum(resume_run(run=stage) for stage in run.refereeings.filter(model__slug=run.referee))
        if count:
            _queue_again(run)
    if count:
        transaction.on_commit(lambda: wake(run.pk))
    run.refresh_from_db()
    return count


@transaction.atomic
def retry_run(*, run: Run) -> int:
    """Ask the failed questions again, and nothing else; how many there are. Works on a run that goes on, too."""
    _refuse_upload(run)
    if run.state == RunState.CANCELLED:
        raise RunMisused(f"run {run.pk} was cancelled: resume it, which asks all that has no answer")
    count = _open_again(run, Q(state=CellState.FAILED))
    if count and run.state == RunState.FAILED:
        _queue_again(run)
    if count:
        transaction.on_commit(lambda: wake(run.pk))
    run.refresh_from_db()
    return count


@transaction.atomic
def set_priority(*, run: Run, priority: int) -> None:
    """Before or behind others from the next shard on; its refereeing goes with it."""
    if priority not in Priority.values:
        raise RunMisused(f"priority {priority}: {', '.join(f'{each.value} ({each.label})' for each in Priority)}")
    Run.objects.filter(Q(pk=run.pk) | Q(judged=run)).update(priority=priority)
    run.refresh_from_db()


def _open_again(run: Run, which: Q) -> int:
    """Open these cells and their shards, with fresh attempts; shards that somebody holds stay as they are."""
    cells = run.cells.filter(which).exclude(shard__state=ShardState.LEASED)
    shards, count = list(cells.values_list("shard_id", flat=True).distinct()), cells.count()
    cells.update(state=CellState.OPEN, reason="")
    Shard.objects.filter(pk__in=shards).update(
        state=ShardState.OPEN, epoch=F("epoch") + 1, attempts=0, lease_until=None, reason=""
    )
    return count


def _queue_again(run: Run) -> None:
    """The run goes on, and so does the one that only waits for it as its referee."""
    waiting = Q(refereeings=run, state=RunState.FAILED, code=RunCode.UNSCORED)
    Run.objects.filter(Q(pk=run.pk) | waiting).update(
        state=RunState.QUEUED, code="", reason="", finished_at=None, busy_since=None, rest_until=None,
        answers_version=F("answers_version") + 1,
    )  # fmt: skip


def _refuse_upload(run: Run) -> None:
    if run.kind == RunKind.UPLOADED:
        raise RunMisused(f"run {run.pk} was uploaded: there is no model to ask again")
