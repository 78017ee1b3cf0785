"""Leases of shards, with a fencing epoch and the database's clock.

A dead worker's shard is free again when its lease expires; if the worker returns later, it finds another epoch.
"""

import logging
import threading
from contextvars import copy_context
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from evaluation.errors import LeaseLost
from evaluation.models import Cell, CellState, Run, RunState, Shard, ShardState
from evaluation.queue.shard_counts import count_cells

BEATS_A_LEASE = 6
ATTEMPTS = 3
AT_ONCE = 8  # shards read at once, so that several workers find different ones

EXPIRED = Q(state=ShardState.LEASED, lease_until__lt=Now())
FREE = Q(state=ShardState.OPEN) | EXPIRED
UNFINISHED = Q(state__in=(ShardState.OPEN, ShardState.LEASED))

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Lease:
    """The right to work on one shard, valid as long as the row has this epoch."""

    shard_id: int
    run_id: int
    number: int
    epoch: int


def lease_end() -> ExpressionWrapper:
    return ExpressionWrapper(Now() + timedelta(seconds=settings.EVALUATION_LEASE_SECONDS), output_field=DateTimeField())


def claim(*, run: Run, holder: str) -> Lease | None:
    """Lease the first free shard of an unfinished run; None if there is none."""
    unfinished = Q(run__in=Run.objects.unfinished())
    while free := list(free_shards().filter(unfinished, run=run).order_by("number")[:AT_ONCE]):
        for shard in free:
            lease = Lease(shard.pk, run.pk, shard.number, shard.epoch + 1)
            if _swap(shard, lease, holder):
                return _mark_served(lease)
    return None


def free_shards() -> QuerySet[Shard]:
    """Shards that a worker may lease: open or with an expired lease, and with attempts left."""
    return Shard.objects.filter(FREE, attempts__lt=ATTEMPTS)


def _mark_served(lease: Lease) -> Lease | None:
    """Mark the run as running and served now, for the scheduling; return the lease if the run was just stopped."""
    run = Run.objects.unfinished().filter(pk=lease.run_id)
    if not run.update(served_at=Now(), started_at=Coalesce(F("started_at"), Now()), state=RunState.RUNNING):
        give_back(lease)
        return None
    return lease


def _swap(shard: Shard, lease: Lease, holder: str) -> bool:
    """Compare and swap on the epoch: only one of two workers gets the shard."""
    return bool(
        Shard.objects.filter(FREE, pk=shard.pk, epoch=shard.epoch).update(
            state=ShardState.LEASED,
            holder=holder[:80],
            epoch=lease.epoch,
            attempts=F("attempts") + 1,
            lease_until=lease_end(),
            heartbeat_at=Now(),
        )
    )


def renew(lease: Lease) -> bool:
    """Extend the lease; False if another worker holds the shard."""
    return bool(_held(lease).update(lease_until=lease_end(), heartbeat_at=Now()))


def hold(lease: Lease) -> None:
    """Within a transaction: lock the shard, or raise LeaseLost if the lease is no longer ours."""
    if not _held(lease).select_for_update().exists():
        raise LeaseLost(f"shard {lease.number} of run {lease.run_id} went to another worker")


@transaction.atomic
def finish(lease: Lease) -> None:
    """Mark the shard as done and count its answered and failed cells."""
    hold(lease)
    _held(lease).update(state=ShardState.DONE, lease_until=None, heartbeat_at=Now())
    count_cells(run_id=lease.run_id, shards=[lease.shard_id])


def give_back(lease: Lease, *, reason: str = "") -> None:
    """Return the shard for other workers; this attempt does not count."""
    _held(lease).update(state=ShardState.OPEN, lease_until=None, attempts=F("attempts") - 1, reason=reason)


def release(*, run_id: int) -> None:
    """Open all leased shards of a stopped run; their workers find another epoch."""
    leased = Shard.objects.filter(run=run_id, state=ShardState.LEASED)
    leased.update(state=ShardState.OPEN, epoch=F("epoch") + 1, lease_until=None)


@transaction.atomic
def fail_attempt(lease: Lease, *, reason: str) -> None:
    """Reopen the shard, or fail it after the last attempt."""
    shard = _held(lease).select_for_update().first()
    if shard and shard.attempts >= ATTEMPTS:
        fail_shard(shard, reason=f"failed {ATTEMPTS} times, at last with: {reason}")
    elif shard:
        _held(lease).update(state=ShardState.OPEN, lease_until=None, reason=reason)


def fail_shard(shard: Shard, *, reason: str) -> None:
    """Fail the shard and its open cells with this reason; nothing retries them automatically."""
    Cell.objects.filter(shard=shard, state=CellState.OPEN).update(state=CellState.FAILED, reason=reason[:300])
    Shard.objects.filter(pk=shard.pk).update(
        state=ShardState.FAILED, lease_until=None, epoch=F("epoch") + 1, reason=reason
    )
    Run.objects.filter(pk=shard.run_id).update(answers_version=F("answers_version") + 1)
    count_cells(run_id=shard.run_id, shards=[shard.pk])


@transaction.atomic
def fail_abandoned() -> int:
    """Fail shards whose last attempt's lease expired; return their number."""
    abandoned = list(Shard.objects.select_for_update().filter(EXPIRED, attempts__gte=ATTEMPTS))
    for shard in abandoned:
        fail_shard(shard, reason=_epitaph(shard))
    return len(abandoned)


def _epitaph(shard: Shard) -> str:
    seen = f"{shard.heartbeat_at:%Y-%m-%d %H:%M:%S} UTC" if shard.heartbeat_at else "never"
    before = f"; before that: {shard.reason}" if shard.reason else ""
    return f"{ATTEMPTS} workers took it and vanished; the last one, {shard.holder}, was last heard {seen}{before}"


def _held(lease: Lease):
    return Shard.objects.filter(pk=lease.shard_id, epoch=lease.epoch, state=ShardState.LEASED)


class LeaseHeartbeat:
    """Renews a lease from its own thread and connection, so that a busy model can't block it."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.is_lost = False
        self._over = threading.Event()
        beat = copy_context().run  # so that its log lines carry the run, too
        self._thread = threading.Thread(
            target=beat, args=(self._renew_for_ever,), name=f"heartbeat {lease.shard_id}", daemon=True
        )

    def __enter__(self) -> "LeaseHeartbeat":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join(timeout=settings.EVALUATION_LEASE_SECONDS)

    def check(self) -> None:
        """Raise LeaseLost if the lease is gone; nothing written later would count."""
        if self.is_lost:
            raise LeaseLost(f"shard {self.lease.number} of run {self.lease.run_id} went to another worker")

    def _renew_for_ever(self) -> None:
        try:
            while not self._over.wait(settings.EVALUATION_LEASE_SECONDS / BEATS_A_LEASE) and not self.is_lost:
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        try:
            self.is_lost = not renew(self.lease)
        except DatabaseError as error:  # a later heartbeat may succeed; otherwise the lease expires
            log.warning("no heartbeat for shard %s: %s", self.lease.shard_id, error)
            connection.close()
