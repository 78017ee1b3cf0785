"""Leases of shards (benchmarks/leasing.py): the first free one of a run, and a reason after the last attempt.

A dead worker's shard is free again when its lease expires; if the worker returns later, it finds another epoch.
"""

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from benchmarks import leasing
from evaluation.models import Cell, CellState, Run, RunState, Shard, ShardState
from evaluation.queue.shards import count_cells

ATTEMPTS = 3
UNFINISHED = Q(state__in=(ShardState.OPEN, ShardState.LEASED))
CEILING = "ceiling"  # of a run's card
# Runs with a ceiling of which another worker holds a shard.
HELD_TO_CEILING = Q(card__has_key=CEILING) & Q(Exists(Shard.objects.filter(leasing.running(Shard), run=OuterRef("pk"))))


@transaction.atomic
def claim_within(*, run: Run, holder: str) -> Shard | None:
    """Lease a free shard of the run; None if there is none, or if another worker is on a run with a ceiling.

    Two workers together could exceed the ceiling.
    """
    if CEILING in run.card:
        Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
        if run.shards.filter(leasing.running(Shard)).exists():
            return None
    return claim(run=run, holder=holder)


def claim(*, run: Run, holder: str) -> Shard | None:
    """Lease the first free shard of an unfinished run; None if there is none."""
    shards = free_shards().filter(run__in=Run.objects.unfinished().filter(pk=run.pk)).order_by("number")
    facts = {"holder": holder[:80], "attempts": F("attempts") + 1, "heartbeat_at": Now()}
    lease = leasing.take(shards, seconds=settings.EVALUATION_LEASE_SECONDS, **facts)
    return lease and _mark_served(lease)


def free_shards() -> QuerySet[Shard]:
    """Shards that a worker may lease: open or with an expired lease, and with attempts left."""
    return Shard.objects.filter(leasing.free(Shard), attempts__lt=ATTEMPTS)


def _mark_served(lease: Shard) -> Shard | None:
    """Mark the run as running and served now, for the scheduling; return the lease if the run was just stopped."""
    run = Run.objects.unfinished().filter(pk=lease.run_id)
    if not run.update(served_at=Now(), started_at=Coalesce(F("started_at"), Now()), state=RunState.RUNNING):
        give_back(lease)
        return None
    return lease


def heartbeat(lease: Shard) -> leasing.LeaseHeartbeat:
    """Renews the lease while a worker is at the shard."""
    seconds = settings.EVALUATION_LEASE_SECONDS
    return leasing.LeaseHeartbeat(lease, seconds=seconds, facts=lambda: {"heartbeat_at": Now()})


@transaction.atomic
def finish(lease: Shard) -> None:
    """Mark the shard as done and count its answered and failed cells."""
    leasing.hold(lease)
    leasing.end(lease, ShardState.DONE, heartbeat_at=Now())
    count_cells(run_id=lease.run_id, shards=[lease.pk])


def give_back(lease: Shard, *, reason: str = "") -> None:
    """Return the shard for other workers; this attempt does not count."""
    leasing.give_back(lease, attempts=F("attempts") - 1, reason=reason)


def release(*, run_id: int) -> None:
    """Open all leased shards of a stopped run; their workers find another epoch."""
    leasing.revoke(Shard.objects.filter(run=run_id, state=ShardState.LEASED), ShardState.OPEN)


@transaction.atomic
def fail_attempt(lease: Shard, *, reason: str) -> None:
    """Reopen the shard, or fail it after the last attempt."""
    shard = leasing.held(Shard, lease.pk, lease.epoch).select_for_update().first()
    if shard and shard.attempts >= ATTEMPTS:
        fail_shard(shard, reason=f"failed {ATTEMPTS} times, at last with: {reason}")
    elif shard:
        leasing.give_back(lease, reason=reason)


def fail_shard(shard: Shard, *, reason: str) -> None:
    """Fail the shard and its open cells with this reason; nothing retries them automatically."""
    Cell.objects.filter(shard=shard, state=CellState.OPEN).update(state=CellState.FAILED, reason=reason[:300])
    leasing.revoke(Shard.objects.filter(pk=shard.pk), ShardState.FAILED, reason=reason)
    Run.objects.filter(pk=shard.run_id).change_answers()
    count_cells(run_id=shard.run_id, shards=[shard.pk])


@transaction.atomic
def fail_abandoned() -> int:
    """Fail shards whose last attempt's lease expired; return their number."""
    abandoned = list(Shard.objects.select_for_update().filter(leasing.expired(Shard), attempts__gte=ATTEMPTS))
    for shard in abandoned:
        fail_shard(shard, reason=_epitaph(shard))
    return len(abandoned)


def _epitaph(shard: Shard) -> str:
    seen = f"{shard.heartbeat_at:%Y-%m-%d %H:%M:%S} UTC" if shard.heartbeat_at else "never"
    before = f"; before that: {shard.reason}" if shard.reason else ""
    return f"{ATTEMPTS} workers took it and vanished; the last one, {shard.holder}, was last heard {seen}{before}"
