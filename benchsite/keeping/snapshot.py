"""One moment of the database, read while the site goes on writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction

ALIAS = "snapshot"


@contextmanager
def snapshot() -> Iterator[str]:
    """The alias of a connection that sees the database as it was when this began, and keeps nobody from writing.

    SQLite in WAL mode gives that to any transaction that only reads; PostgreSQL to one that is REPEATABLE READ.
    """
    known = connections.settings["default"]
    options = {**known["OPTIONS"]} | ({"transaction_mode": "DEFERRED"} if "sqlite3" in known["ENGINE"] else {})
    connections.settings[ALIAS] = {**known, "OPTIONS": options, "CONN_MAX_AGE": 0}
    connection = connections[ALIAS]
    try:
        with transaction.atomic(using=ALIAS):
            with connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                cursor.execute("SELECT count(*) FROM django_migrations")  # the moment is that of the first reading
            yield ALIAS
    finally:
        connection.close()
        del connections[ALIAS]
        del connections.settings[ALIAS]
