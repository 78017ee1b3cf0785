"""Whether the site is under maintenance: a row that all machines read, or a setting for work on the database itself."""

import threading
import time
from datetime import datetime

from django.conf import settings
from django.db import Error, transaction
from django.db.models.functions import Now
from django.utils import timezone

from benchsite.models import Maintenance
from evaluation.models import Shard, ShardState, Upload, UploadState
from humantrials.assignment.leases import stand_still

GLANCE = 1.0  # seconds for which the last reading is valid
_read: tuple[float, Maintenance | None] = (0.0, None)
_lock = threading.Lock()


def current() -> Maintenance | None:
    """The announced maintenance, or None; read from the database at most once a second."""
    global _read
    if settings.MAINTENANCE:
        return Maintenance(pk=1)
    with _lock:
        if time.monotonic() >= _read[0]:
            _read = (time.monotonic() + GLANCE, _from_database())
        return _read[1]


def _from_database() -> Maintenance | None:
    try:
        return Maintenance.objects.first()
    except Error:  # the database is away or being migrated, which the request itself will report
        return None


def forget() -> None:
    """Discard the cached state, after this process changed it."""
    global _read
    _read = (0.0, None)


def begin(*, until: datetime | None, note: str) -> Maintenance:
    """Announce maintenance or change the announcement; its time of beginning stays."""
    row, _ = Maintenance.objects.update_or_create(pk=1, defaults={"until": until, "note": note})
    forget()
    return row


@transaction.atomic
def end() -> int | None:
    """Open the site again; return the number of study sheets whose leases were extended, or None if it was open."""
    row = Maintenance.objects.select_for_update().first()
    if row is None:
        return None
    extended = stand_still(row.since)
    row.delete()
    forget()
    return extended


def at_work() -> dict[str, int]:
    """The number of shards and uploads that workers still hold."""
    shards = Shard.objects.filter(state=ShardState.LEASED, lease_until__gte=Now()).count()
    uploads = Upload.objects.filter(state=UploadState.CHECKING).count()
    return {name: count for name, count in (("shards", shards), ("uploads", uploads)) if count}


def seconds_left(row: Maintenance, *, unknown: int) -> int:
    """Seconds after which a retry makes sense."""
    if row.until is None:
        return unknown
    return max(10, round((row.until - timezone.now()).total_seconds()))
