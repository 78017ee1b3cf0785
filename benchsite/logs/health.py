"""Health checks: those that must pass before this process gets visitors, and those that may fail."""

import functools
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import redis
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest
from django.utils import timezone
from redis.exceptions import RedisError

from benchmarks.errors import StoreAway
from benchsite.web.csp import socket_address

Check = Callable[[], str]  # '' or the problem, in words for the public

WITHIN = 1.5  # seconds that all checks together may take
MOST_NAMED = 3  # most processes that are named
MIN_FREE_FILES = 1000
DRIFT = 5.0  # seconds

_are_applied = False


def database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "does not answer"
    return ""


def migrations() -> str:
    """Check that all migrations are applied; once they are, the check is skipped."""
    global _are_applied
    if not _are_applied:
        try:
            executor = MigrationExecutor(connection)
            _are_applied = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError:
            return "not known"
    return "" if _are_applied else "some are not applied: run `benchsite migrate`"


def media() -> str:
    """Check that the media folder is readable and writable, or that the media store answers."""
    if settings.MEDIA_STORE == "folder":
        can = Path(settings.MEDIA_ROOT).is_dir() and os.access(settings.MEDIA_ROOT, os.R_OK | os.W_OK)
        return "" if can else "the folder can't be written"
    try:
        default_storage.exists("readyz")
    except StoreAway:
        return "does not answer"
    return ""


def shared_memory() -> str:
    """Check the Redis cache. Without it pages are rendered anew and rate limits are not counted."""
    if not settings.REDIS_URL:
        return ""
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as server:
            server.ping()
    except RedisError:
        return "does not answer"
    return ""


def disk() -> str:
    """Check the disks of var and media, by name: on a full or read-only one writes fail, while reads continue."""
    folders = {"var": settings.VAR_DIR} | ({"media": settings.MEDIA_ROOT} if settings.MEDIA_STORE == "folder" else {})
    named: dict[str, list[str]] = {}
    for name, folder in folders.items():
        if why := why_not_written(folder):
            named.setdefault(why, []).append(name)
    return "; ".join(f"{why} ({', '.join(names)})" for why, names in named.items())


def why_not_written(folder: Path) -> str:
    """Why files can't be written in this folder, or soon can't; '' if they can."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return "away"
    if found.f_flag & os.ST_RDONLY:
        return "read-only"
    free = found.f_bavail * found.f_frsize // 1_000_000
    if free < settings.MIN_FREE_MB:
        return f"almost full: {free} MB are free, {settings.MIN_FREE_MB} are needed"
    if found.f_files and found.f_favail < MIN_FREE_FILES:  # some file systems count none
        return f"almost out of inodes: {found.f_favail} more files fit"
    return ""


def temporary_folder() -> str:
    """Check the temporary folder, where uploads are spooled."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"readyz")
    except OSError:
        return "can't be written"
    return ""


def processes() -> str:
    """Check the heartbeats of workers, clocks and supervisors, on which runs, studies' boards and letters depend."""
    from benchsite.logs import heartbeats  # `serve` is imported before the models are loaded

    try:
        ill = [sign for sign in heartbeats.signs() if sign.is_ill]
    except Error:
        return "not known"
    return "; ".join(f"{sign.name} was not heard for {sign.silence:.0f} s" for sign in ill[:MOST_NAMED]) + (
        f" and {len(ill) - MOST_NAMED} more" if len(ill) > MOST_NAMED else ""
    )


def clock() -> str:
    """Compare this machine's clock with the database's, by which leases end; SQLite has no other."""
    if connection.vendor != "postgresql":
        return ""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            ahead = (timezone.now() - cursor.fetchone()[0]).total_seconds()
    except Error:
        return "not known"
    return f"{abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} the database's" if abs(ahead) > DRIFT else ""


# Each check may hang, on a server that accepts connections and stays silent, so each has a thread and a deadline.
NEEDED: dict[str, Check] = {"database": database, "media": media, "disk": disk}
LIMPING: dict[str, Check] = {"cache": shared_memory, "temporary folder": temporary_folder}
# Run once the database has answered, on the request's own connection.
NEEDED_TABLES: dict[str, Check] = {"migrations": migrations}
LIMPING_TABLES: dict[str, Check] = {"processes": processes, "clock": clock}
_under_way: dict[str, threading.Thread] = {}


def look() -> tuple[bool, dict[str, str]]:
    """Whether this process may get visitors, and the result of each check, within about `WITHIN` seconds."""
    found = within(NEEDED | LIMPING, WITHIN)
    for name, check in (NEEDED_TABLES | LIMPING_TABLES).items():
        found[name] = check() if not found["database"] else "not known"
    is_ready = not any(found[name] for name in NEEDED | NEEDED_TABLES)
    return is_ready, {name: message or "ok" for name, message in found.items()}


def within(checks: dict[str, Check], seconds: float) -> dict[str, str]:
    """Each check's result; a check that takes longer, or hangs since an earlier call, "does not answer"."""
    found = dict.fromkeys(checks, "does not answer")
    threads = []
    for name, check in checks.items():
        if (before := _under_way.get(name)) and before.is_alive():
            continue
        _under_way[name] = threading.Thread(target=_note, args=(found, name, check), daemon=True)
        _under_way[name].start()
        threads.append(_under_way[name])
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return dict(found)


def _note(found: dict[str, str], name: str, check: Check) -> None:
    try:
        found[name] = check()
    finally:
        if name == "database":
            connection.close()  # this thread's own connection


def live(request: HttpRequest) -> dict[str, object]:
    """Facts for the templates of all pages.

    `socket_url`: the address for live updates; '' if there are none and the page refreshes itself. For staff, and once
    a template uses them: `full_disk`, the disk warning, and `inbox_count`, the submissions that wait, counted once.
    """
    return {"socket_url": socket_address(request), "full_disk": disk, "inbox_count": functools.cache(inbox_count)}


def inbox_count() -> int:
    """The number of submissions that wait for a decision."""
    from evaluation.submissions.views import waiting  # `serve` is imported before the models are loaded

    return waiting().count()
