"""Leases: one holder at a time works on a row, until a moment of the database's clock. Nothing else decides it.

Shards, sheets, uploads, folders, files of material and clip sets have leases. Whoever takes a row raises its `epoch`,
and the row as it was taken is the lease: once another epoch stands in the table, whatever the earlier holder writes
under `hold`, `renew` or `end` is refused. No host's clock decides, so a wrong one neither frees a row nor keeps it.

Rows record due work, and messages only wake workers (`queue_task`): a lost one is sent again.

The conditions and changes (`free`, `held`, `taken`, …) are also what compiled queries are built from.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

from celery import current_app
from django.db import DatabaseError, connection, models, transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError

BEATS_A_LEASE = 6
# One more try to send a message, at once: the connection that is at hand may have died with an earlier broker.
AGAIN = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
LOOK = 0.05  # seconds between two looks at a row that somebody waits for

log = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another holder has taken over the row: stop, nothing is lost."""


class Leased(models.Model):
    """A row that one holder works on at a time; only this module writes `lease_until`."""

    WAITS: ClassVar[str]  # the state of a row that anybody may take
    HELD: ClassVar[str]  # the state of a row with a holder
    state: "models.CharField[str, str]"  # a field of each kind of row

    epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_open(self) -> bool:
        return self.state in (self.WAITS, self.HELD)


Row = TypeVar("Row", bound=Leased)


def database_now() -> datetime:
    """The moment by the database's clock, for what is compared outside of a query; SQLite's is this host's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        return cursor.fetchone()[0]


def waits(kind: type[Leased]) -> Q:
    return Q(state=kind.WAITS)


def running(kind: type[Leased], path: str = "", *, seconds: float = 0.0) -> Q:
    """Rows with a holder whose lease lasts so many seconds more; `path` leads to them from another table."""
    return Q(**{f"{path}state": kind.HELD, f"{path}lease_until__gte": lease_end(seconds) if seconds else Now()})


def expired(kind: type[Leased]) -> Q:
    return Q(state=kind.HELD, lease_until__lt=Now())


def free(kind: type[Leased]) -> Q:
    return waits(kind) | expired(kind)


def still_open(kind: type[Leased]) -> Q:
    return Q(state__in=(kind.WAITS, kind.HELD))


def held(kind: type[Row], pk: int, epoch: int) -> QuerySet[Row]:
    """The row while nobody else took it, even after its lease ran out.

    Plain columns only: after waiting for a row PostgreSQL rechecks these, but not joins and subqueries.
    """
    return kind._default_manager.filter(pk=pk, epoch=epoch, state=kind.HELD).order_by()


def claimable(kind: type[Row], pk: int, epoch: int) -> QuerySet[Row]:
    """The row if it is still free as it was read at this epoch: of two who take it, one finds it."""
    return kind._default_manager.filter(free(kind), pk=pk, epoch=epoch).order_by()


def taken(kind: type[Leased], *, epoch: int, seconds: float) -> dict[str, Any]:
    return {"state": kind.HELD, "epoch": epoch, "lease_until": lease_end(seconds)}


def renewed(seconds: float) -> dict[str, Any]:
    return {"lease_until": lease_end(seconds)}


def ended(state: str) -> dict[str, Any]:
    return {"state": state, "lease_until": None}


def lease_end(seconds: float) -> ExpressionWrapper:
    """The moment this many seconds from now, by the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def first_unlocked(rows: QuerySet[Row]) -> Row | None:
    """Within a transaction: the first of these rows that nobody else is taking, locked."""
    return rows.select_for_update(skip_locked=True, of=("self",)).first()


@transaction.atomic
def take(rows: QuerySet[Row], *, seconds: float, **facts: Any) -> Row | None:
    """Lease the first free one of these rows for so many seconds, and store the facts; None if there is none."""
    row = first_unlocked(rows.filter(free(rows.model)))
    if row is None:
        return None
    changes = taken(rows.model, epoch=row.epoch + 1, seconds=seconds)
    if not claimable(rows.model, row.pk, row.epoch).update(**changes, **facts):
        return None
    row.refresh_from_db()
    return row


def renew(row: Leased, *, seconds: float, **facts: Any) -> bool:
    """Extend the lease to so many seconds from now, and store the facts; False if it is lost."""
    return bool(held(type(row), row.pk, row.epoch).update(**renewed(seconds), **facts))


def hold(row: Leased) -> None:
    """Within a transaction: lock the row, or raise LeaseLost if somebody else has taken it."""
    if not held(type(row), row.pk, row.epoch).select_for_update().exists():
        raise LeaseLost(f"another worker has {row}")


def end(row: Leased, state: str, **facts: Any) -> bool:
    """Leave the row in this state, and store the facts; False if the lease is lost."""
    return bool(held(type(row), row.pk, row.epoch).update(**ended(state), **facts))


def give_back(row: Leased, **facts: Any) -> bool:
    """Leave the row to the next holder; False if the lease is lost."""
    return end(row, row.WAITS, **facts)


def revoke(rows: QuerySet[Row], state: str, **facts: Any) -> int:
    """Take the rows from whoever holds them and leave them in this state; return how many."""
    return rows.update(**ended(state), epoch=F("epoch") + 1, **facts)


def lapse(rows: QuerySet[Row]) -> int:
    """Let the leases on these rows run out now; return how many."""
    return rows.filter(state=rows.model.HELD).update(**renewed(-1))


def stand_still(rows: QuerySet[Row], since: datetime) -> int:
    """Extend every lease on these rows that was valid at `since` by the time passed since; return how many."""
    missed = ExpressionWrapper(F("lease_until") + (Now() - since), output_field=DateTimeField())
    return rows.filter(state=rows.model.HELD, lease_until__gte=since).update(lease_until=missed)


def wait_for(row: Leased, *, seconds: float) -> None:
    """Wait until the row has ended, but not longer than this; the row is read again."""
    until = time.monotonic() + seconds
    row.refresh_from_db()
    while row.is_open and time.monotonic() < until:
        time.sleep(LOOK)
        row.refresh_from_db()


class LeaseHeartbeat:
    """Renews a lease from its own thread and connection, so that busy work can't block it; `facts` go along."""

    def __init__(
        self, row: Leased, *, seconds: float, every: float = 0.0, facts: Callable[[], dict[str, Any]] = dict
    ) -> None:
        self.row, self.seconds, self.facts = row, seconds, facts
        self.every = every or seconds / BEATS_A_LEASE
        self.is_lost = False
        self._sure_until = time.monotonic() + seconds - self.every
        self._over = threading.Event()
        beat = copy_context().run  # so that its log lines carry the run, too
        self._thread = threading.Thread(target=beat, args=(self._renew_for_ever,), name=f"heartbeat {row}", daemon=True)

    def __enter__(self) -> "LeaseHeartbeat":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join(timeout=self.seconds)

    @property
    def is_sure(self) -> bool:
        """Whether nobody can have taken the row yet: not known while the database is out of reach for too long."""
        return self._over.is_set() or (not self.is_lost and time.monotonic() < self._sure_until)

    def check(self) -> None:
        """Raise LeaseLost if the lease is gone; nothing written later would count."""
        if self.is_lost:
            raise LeaseLost(f"another worker has {self.row}")

    def _renew_for_ever(self) -> None:
        try:
            while not self._over.wait(self.every) and not self.is_lost:
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        began = time.monotonic()
        try:
            self.is_lost = not renew(self.row, seconds=self.seconds, **self.facts())
            self._sure_until = began + self.seconds - self.every
        except DatabaseError as error:  # a later heartbeat may succeed; otherwise the lease expires
            log.warning("no heartbeat for %s: %s", self.row, error)
            connection.close()


def queue_task(task: str, *args: int, **options: Any) -> bool:
    """Queue a task, mostly with the id of a row; False if the queue is down: the sweep does so within a minute."""
    try:
        current_app.send_task(task, args=[*args], retry=True, retry_policy=AGAIN, **options)
    except (OperationalError, OSError) as error:
        log.warning("%s%s waits for the sweep, the queue is away: %s", task, args, error)
        return False
    return True
