"""Whether this process can do its work: what must answer before visitors are sent to it, what only limps without."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import redis
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from redis.exceptions import RedisError

from benchmarks.errors import StoreAway

FREE_AT_LEAST = 200_000_000  # bytes; below it uploads and clips will soon be refused
Check = Callable[[], str]  # '' or what is wrong, in words that strangers may read

_are_applied = False


def database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "does not answer"
    return ""


def migrations() -> str:
    """Looked for until they are there: they don't go away under a process that runs."""
    global _are_applied
    if not _are_applied:
        try:
            executor = MigrationExecutor(connection)
            _are_applied = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except DatabaseError:
            return "not known"
    return "" if _are_applied else "some are not applied: run `manage.py upgrade`"


def media() -> str:
    """A folder must be there to be read and written; a store elsewhere must answer."""
    if settings.MEDIA_STORE == "folder":
        can = Path(settings.MEDIA_ROOT).is_dir() and os.access(settings.MEDIA_ROOT, os.R_OK | os.W_OK)
        return "" if can else "the folder can't be written"
    try:
        default_storage.exists("readyz")
    except StoreAway:
        return "does not answer"
    return ""


def shared_memory() -> str:
    """The cache. Pages are drawn anew without it, and limits of calls are not counted."""
    if not settings.REDIS_URL:
        return ""
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as server:
            server.ping()
    except RedisError:
        return "does not answer"
    return ""


def disk() -> str:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return "" if free >= FREE_AT_LEAST else "almost full"


def temporary_folder() -> str:
    """Uploads are written there while they arrive."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"readyz")
    except OSError:
        return "can't be written"
    return ""


NEEDED: dict[str, Check] = {"database": database, "migrations": migrations, "media": media}
LIMPING: dict[str, Check] = {"cache": shared_memory, "disk": disk, "temporary folder": temporary_folder}


def look() -> tuple[bool, dict[str, str]]:
    """Whether visitors may be sent here, and what was found, check by check."""
    found = {name: check() for name, check in (NEEDED | LIMPING).items()}
    is_ready = not any(found[name] for name in NEEDED)
    return is_ready, {name: said or "ok" for name, said in found.items()}
