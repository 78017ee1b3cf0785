"""The state of the site: its tables, copied into the SQLite file of a backup and back, and its files."""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO
from urllib.parse import quote

from django.apps import apps
from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from benchmarks.progress_bar import Bar, progress_bar
from benchmarks.storage.folder import FILE_TIME
from benchsite.sqlite import SQLITE

# Sessions and failed sign-ins: people can sign in again, and a stolen backup reveals less.
LEFT_OUT = frozenset(
    {
        *(f"axes.{name}" for name in ("AccessAttempt", "AccessAttemptExpiration", "AccessFailureLog", "AccessLog")),
        *("sessions.Session", "benchsite.Heartbeat"),  # processes differ after a restore
    }
)
# Filled by Django when it creates tables: rows in these tables do not mean that the site is in use.
OF_DJANGO = frozenset({"contenttypes.ContentType", "auth.Permission"})
ALIAS = "backup"
AT_ONCE = 2000  # rows
Show = Callable[[str, int, int], None]  # step, done, total


def tables() -> list[type[models.Model]]:
    """Every table with state, including many-to-many tables, ordered by label."""
    every = apps.get_models(include_auto_created=True)
    included = [one for one in every if one._meta.managed and not one._meta.proxy and one._meta.label not in LEFT_OUT]
    return sorted(included, key=lambda one: one._meta.label)


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
    fields = list(model._meta.local_concrete_fields)
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


def places() -> dict[str, Storage]:
    """Folder in the backup -> storage on this site: media, and weights of models trained here."""
    return {"media": default_storage, "models": FileSystemStorage(Path(settings.VAR_DIR) / "models")}


def names_in(storage: Storage, folder: str = "") -> Iterator[str]:
    """The names of all files, without parts that begin with a dot, as half-written ones do."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}{name}" for name in sorted(files) if name and not name.startswith("."))
    for name in sorted(folders):
        if not name.startswith("."):
            yield from names_in(storage, f"{folder}{name}/")


def put(storage: Storage, name: str, content: IO[bytes]) -> None:
    """Store the file; in a folder with the fixed time of all served files, which hides their order."""
    storage.save(name, File(content))
    with suppress(NotImplementedError):
        os.utime(storage.path(name), (FILE_TIME, FILE_TIME))


def progress_callback(stream: TextIO) -> Show:
    """A callback that draws a bar for each step."""
    bars: dict[str, Bar] = {}

    def show(what: str, done: int, total: int) -> None:
        if what not in bars:
            bars[what] = progress_bar(stream, what)
        bars[what](done, total)

    return show
