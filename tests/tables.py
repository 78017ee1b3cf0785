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
from urllib.parse import quote, urlsplit

import psycopg
from django.core import management
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from benchsite.serving.embedded_database import MADE
from benchsite.serving.serve import static_print

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "var" / "tests" / "static"
call_command = management.call_command


def kept() -> Path:
    """The file with the migrated tables; its name depends on all that makes them."""
    return ROOT / "var" / "tests" / f"tables-{_digest()}.sqlite3"


def _digest() -> str:
    digest = hashlib.sha256(version("django").encode())
    places = ("*/migrations/*.py", "extensions/*/migrations/*.py", "benchsite/sqlite/*.py")
    for path in sorted(path for place in places for path in ROOT.glob(place)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def copied_where_kept() -> Iterator[None]:
    """Within the block, test databases are copies of that file or of a template on the server, made at first use."""
    template = template_beside(address_of(connection)) if connection.vendor == "postgresql" else None
    with (
        patch.dict(connection.settings_dict["TEST"], {"TEMPLATE": template}),
        patch.object(management, "call_command", _copy_or_call),
    ):
        yield


def _copy_or_call(name: str, *arguments: Any, **options: Any) -> None:
    if name != "migrate":
        call_command(name, *arguments, **options)
    elif connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(_made())) as source:
            source.backup(connection.connection)
    # PostgreSQL has copied its template already


def address_of(database: BaseDatabaseWrapper) -> str:
    """The address of the server that the settings name."""
    words = database.settings_dict
    login = words["USER"] + (f":{quote(words['PASSWORD'], safe='')}" if words["PASSWORD"] else "")
    return f"postgres://{login}@{words['HOST']}:{words['PORT'] or 5432}/{words['NAME']}"


def template_beside(server: str) -> str:
    """The name of the database with all tables on this server; whoever asks first makes it by the migrations."""
    with psycopg.connect(_beside(server, "postgres"), autocommit=True) as maintenance:
        maintenance.execute("SELECT pg_advisory_lock(hashtext(%s))", [TEMPLATE])  # held until it closes
        return _template(maintenance, server)


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
