"""Whether the site stands still: one row that all machines read, and a setting for work on the database itself."""

import threading
import time
from datetime import datetime

from django.conf import settings
from django.db import Error, transaction
from django.db.models.functions import Now
from django.utils import timezone

from benchsite.models import Maintenance
from evaluation.models import Shard, ShardState, Upload, UploadState
from humantrials.leases import stand_still

GLANCE = 1.0  # seconds for which what was read is believed
_read: tuple[float, Maintenance | None] = (0.0, None)
_lock = threading.Lock()


def current() -> Maintenance | None:
    """What is announced, or None while the site works; read from the database at most once a second."""
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
    except Error:  # away, or its tables are being made: what the request meets there, it tells itself
        return None


def forget() -> None:
    """Look again at once; for who has just changed it in this process."""
    global _read
    _read = (0.0, None)


def begin(*, until: datetime | None, note: str) -> Maintenance:
    """Announce it, or change what is announced; the beginning stays the first one."""
    row, _ = Maintenance.objects.update_or_create(pk=1, defaults={"until": until, "note": note})
    forget()
    return row


@transaction.atomic
def end() -> int | None:
    """Open the site again; how many sheets of studies got the time back. None if it was open."""
    row = Maintenance.objects.select_for_update().first()
    if row is None:
        return None
    kept = stand_still(row.since)
    row.delete()
    forget()
    return kept


def at_work() -> dict[str, int]:
    """What workers have not laid down yet."""
    shards = Shard.objects.filter(state=ShardState.LEASED, lease_until__gte=Now()).count()
    uploads = Upload.objects.filter(state=UploadState.CHECKING).count()
    return {name: count for name, count in (("shards", shards), ("uploads", uploads)) if count}


def seconds_left(row: Maintenance, *, unknown: int) -> int:
    """Until asking again is worth it."""
    if row.until is None:
        return unknown
    return max(10, round((row.until - timezone.now()).total_seconds()))
