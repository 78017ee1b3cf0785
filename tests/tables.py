"""Makes empty tables once by the migrations and then copies them, because migrating takes seven seconds."""

import fcntl
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.core import management
from django.db import connection

from benchsite.supervisor.embedded_database import MADE

ROOT = Path(__file__).resolve().parent.parent
migrate = management.call_command


def kept() -> Path:
    """The file with the migrated tables; its name depends on all migrations."""
    digest = hashlib.sha256(version("django").encode())
    for path in sorted(ROOT.glob("*/migrations/*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return ROOT / "var" / "tests" / f"tables-{digest.hexdigest()[:16]}.sqlite3"


@contextmanager
def copied_where_kept() -> Iterator[None]:
    """Within the block, fill SQLite test databases from that file; the first session makes it."""
    with patch.object(management, "call_command", _copy_or_call):
        yield


def _copy_or_call(name: str, *arguments: Any, **options: Any) -> None:
    if name != "migrate" or connection.vendor != "sqlite":
        migrate(name, *arguments, **options)
        return
    path = kept()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            migrate(name, *arguments, **options)
            _keep(path)
            return
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as source:
        source.backup(connection.connection)


def _keep(path: Path) -> None:
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished)) as copy:
        connection.connection.backup(copy)
        copy.execute(f"PRAGMA user_version = {MADE}")  # otherwise each command on a copy would migrate first
    unfinished.rename(path)


def lay_into(folder: Path) -> None:
    """Copy the tables into a new site's folder if a session has made them; otherwise the site makes its own."""
    database = folder / "var" / "db.sqlite3"
    database.parent.mkdir(parents=True, exist_ok=True)
    if kept().exists() and not database.exists():
        shutil.copy(kept(), database)
