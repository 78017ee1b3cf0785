"""Makes empty tables and collected static files once and then copies them: they take seven seconds and two."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import psycopg
from django.core import management
from django.core.management.commands import flush
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, connections, transaction

from benchsite.supervisor.embedded_database import MADE
from benchsite.supervisor.serve import static_print

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "var" / "tests" / "static"
migrate = management.call_command


def kept() -> Path:
    """The file with the migrated tables; its name depends on all migrations."""
    return ROOT / "var" / "tests" / f"tables-{_digest()}.sqlite3"


def _digest() -> str:
    digest = hashlib.sha256(version("django").encode())
    for path in sorted(ROOT.glob("*/migrations/*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def copied_where_kept() -> Iterator[None]:
    """Within the block, fill SQLite test databases from that file; the first session makes it."""
    with patch.object(management, "call_command", _copy_or_call):
        yield


def _copy_or_call(name: str, *arguments: Any, **options: Any) -> None:
    if name != "migrate" or connection.vendor != "sqlite":
        migrate(name, *arguments, **options)
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(_made())) as source:
        source.backup(connection.connection)


OF_MODELS = ("django_content_type", "auth_permission")


@contextmanager
def permissions_are_copied() -> Iterator[None]:
    """Within the block, emptied SQLite tables get their content types and permissions from a copy, not anew in 0.03 s.

    Tests that write outside a transaction end with empty tables, and Django then makes these rows, which are always
    the same.
    """
    from django.contrib.contenttypes.models import ContentType  # not before Django is set up

    found: dict[str, list[tuple[Any, ...]]] = {}

    def make_or_copy(verbosity: int, interactive: bool, db: str) -> None:
        if not found or connections[db].vendor != "sqlite":
            emit_post_migrate_signal(verbosity, interactive, db)
            found.update({table: _rows(db, table) for table in OF_MODELS})
            return
        with transaction.atomic(using=db), connections[db].cursor() as cursor:
            for table, rows in found.items():
                cursor.executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)
        ContentType.objects.clear_cache()

    with patch.object(flush, "emit_post_migrate_signal", make_or_copy):
        yield


def _rows(db: str, table: str) -> list[tuple[Any, ...]]:
    with connections[db].cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return list(cursor.fetchall())


def lay_into(folder: Path) -> None:
    """Copy the tables into a new site's folder."""
    database = folder / "var" / "db.sqlite3"
    database.parent.mkdir(parents=True, exist_ok=True)
    if not database.exists():
        shutil.copy(_made(), database)


def lay_static(folder: Path) -> None:
    """Copy the collected static files and their stamp into a new site's folder, where `serve` finds nothing to do."""
    with _own_turn(STATIC) as collected:
        if not (collected / "static.stamp").exists() or (collected / "static.stamp").read_text() != static_print():
            shutil.rmtree(collected, ignore_errors=True)
            env = os.environ | {"DATA_DIR": str(collected), "DEBUG": "0", "SECRET_KEY": "of tests alone " * 4}
            command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"]
            subprocess.run(command, cwd=ROOT, env=env | {"ALLOWED_HOSTS": "localhost"}, check=True)
            (collected / "static.stamp").write_text(static_print())
    shutil.copytree(collected / "var/static", folder / "var/static")
    shutil.copy(collected / "static.stamp", folder / "var")


@contextmanager
def _own_turn(path: Path) -> Iterator[Path]:
    """Of several processes one at a time looks at what is at this path, and makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path


def _made() -> Path:
    """The file with the migrated tables; whoever asks first makes it."""
    with _own_turn(kept()) as path:
        if not path.exists():
            unfinished = path.with_suffix(".new")
            unfinished.unlink(missing_ok=True)
            _migrate(f"sqlite:///{unfinished}")
            with closing(sqlite3.connect(unfinished)) as made:
                made.execute(f"PRAGMA user_version = {MADE}")  # otherwise each command on a copy would migrate first
            unfinished.rename(path)
    return path


def _migrate(database: str) -> None:
    """Migrate in a separate process, since this one's settings name another database."""
    with TemporaryDirectory() as folder:
        env = os.environ | {"DATABASE_URL": database, "DATA_DIR": folder, "DEBUG": "1"}
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=env, check=True)


TEMPLATE = "benchsite_tests_"


@contextmanager
def on_postgres(server: str, name: str) -> Iterator[str]:
    """The address of a database of this name beside `server`'s, with all tables, for the length of the block.

    The tables are copied from a database that stays on the server and that the first caller makes by the migrations.
    """
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [TEMPLATE])  # nobody copies unfinished tables
        template = _template(connection, server)
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        connection.execute("SELECT pg_advisory_unlock(hashtext(%s))", [TEMPLATE])
        try:
            yield _beside(server, name)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def lay_into_postgres(server: str, name: str, to: str, tools: Path) -> None:
    """Copy the tables into the empty database at `to`, on another server, by way of one of this name on `server`."""
    with on_postgres(server, name) as address:
        dump = [str(tools / "pg_dump"), "--no-owner", address]
        said = subprocess.run(dump, check=True, stdout=subprocess.PIPE).stdout
    load = [str(tools / "psql"), "--quiet", "--output", os.devnull, "--set", "ON_ERROR_STOP=1", to]
    subprocess.run(load, input=said, check=True)


def _template(server: psycopg.Connection, address: str) -> str:
    """The name of the database with the migrated tables; those of other migrations are dropped."""
    wanted, unfinished = TEMPLATE + _digest(), f"{TEMPLATE}unfinished"
    found = server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEMPLATE]).fetchall()
    for (name,) in found:
        if name != wanted:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    if (wanted,) not in found:
        server.execute(f'CREATE DATABASE "{unfinished}"')
        _migrate(_beside(address, unfinished))
        server.execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{wanted}"')
    return wanted


def _beside(server: str, name: str) -> str:
    return urlsplit(server)._replace(path=f"/{name}").geturl()
