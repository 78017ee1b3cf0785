"""Applies migrations while the site is running (docs/decisions/0007-migrations.md).

If several machines start at once, one runs the migrations while the others wait. On PostgreSQL a migration waits at
most three seconds for a lock, because later queries queue behind it. It is retried until it gets the lock.
"""

import fcntl
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from benchsite import private_folder

LOCK_SECONDS = 3
PAUSE = 2.0  # seconds between two tries, during which waiting queries can run
TRIES = 30
ADVISORY = 20_611_077  # any number that nothing else here uses

log = logging.getLogger(__name__)


class NeverFree(OperationalError):
    """The tables were in use at every try."""


def pending() -> list[str]:
    """The names of unapplied migrations, in order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def upgrade() -> list[str]:
    """Apply and return the pending migrations. Safe to run on several machines at once."""
    with alone():
        found = pending()
        for number in range(1, TRIES + 1):
            if not pending():
                return found
            if _migrated(number):
                return found
            time.sleep(PAUSE)
    raise NeverFree(f"{pending()[0]} waited {TRIES} times for {LOCK_SECONDS} s: its tables were never free")


def _migrated(number: int) -> bool:
    try:
        with waiting_shortly():
            call_command("migrate", verbosity=0, interactive=False)
    except OperationalError as error:
        if not is_about_locks(error):
            raise
        log.warning("try %d: the tables are in use, asked again in %.0f s", number, PAUSE)
        return False
    return True


def is_about_locks(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", "") == "55P03" or "database is locked" in str(error)


@contextmanager
def waiting_shortly() -> Iterator[None]:
    """Set a short lock timeout on PostgreSQL; SQLite has one timeout for all statements."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_SECONDS}s"])
    try:
        yield
    finally:
        connection.close()  # closing also resets the timeout


@contextmanager
def alone() -> Iterator[None]:
    """Hold a lock across all machines on one PostgreSQL, or across all processes on one SQLite file."""
    if connection.vendor == "postgresql":
        holder = connections.create_connection("default")
        try:
            with holder.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", [ADVISORY])
            yield
        finally:
            holder.close()
        return
    private_folder.make(settings.VAR_DIR)
    with (settings.VAR_DIR / "upgrade.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
