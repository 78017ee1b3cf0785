"""Copies rows between databases: from a server into the SQLite file of a backup, and from there into any site."""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from benchsite.backup.contents import columns, tables
from benchsite.sqlite import SQLITE

Show = Callable[[str, int, int], None]  # step, done, total
ALIAS = "backup"
AT_ONCE = 2000  # rows


@contextmanager
def opened(file: Path) -> Iterator[str]:
    """The alias of a connection to this SQLite file."""
    own = {"ENGINE": SQLITE, "NAME": str(file), "OPTIONS": {}, "CONN_MAX_AGE": 0}
    connections.settings[ALIAS] = connections.settings["default"] | own
    try:
        yield ALIAS
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def migrate(file: Path) -> None:
    """Make the tables in this SQLite file, or bring them up to date; in a process that knows no other database."""
    env = os.environ | {"DATABASE_URL": f"sqlite:///{quote(str(file))}"}
    command = [sys.executable, "-m", "benchsite.cli", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=env, check=True)


def count_rows(using: str) -> int:
    return sum(model._base_manager.using(using).count() for model in tables())


def copy_rows(source: str, target: str, show: Show) -> int:
    """Replace every row of one database by those of the other, in one transaction; return their number.

    Foreign keys are checked at its end, so that the order of tables does not matter.
    """
    total, done, connection = count_rows(source), 0, connections[target]
    with transaction.atomic(using=target), connection.cursor() as cursor:
        for model in tables():
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names # nosec B608
        for model in tables():
            for count in _copy_table(model, source, connection):
                done += count
                show("Rows", done, total)
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):  # new keys above the copied ones
            cursor.execute(statement)
        connection.check_constraints()
    return total


def _copy_table(model: type[models.Model], source: str, connection: BaseDatabaseWrapper) -> Iterator[int]:
    """Copy the rows of one table; yield the number of each chunk."""
    fields = columns(model)
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places, table = ", ".join(["%s"] * len(fields)), connection.ops.quote_name(model._meta.db_table)
    statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  # our own names # nosec B608
    rows = model._base_manager.using(source).order_by("pk").values_list(*(field.attname for field in fields))
    found = rows.iterator(chunk_size=AT_ONCE)
    while chunk := list(itertools.islice(found, AT_ONCE)):
        with connection.cursor() as cursor:
            cursor.executemany(statement, [_stored(fields, row, connection) for row in chunk])
        yield len(chunk)


def _stored(fields: list[models.Field], row: Sequence[Any], connection: BaseDatabaseWrapper) -> list[Any]:
    return [field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)]
