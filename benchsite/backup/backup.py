"""Writes the site's whole state to one file while the site runs.

The database is read as of one moment, and the backup contains every file named by a row of that moment. For this, files
are hard-linked before the moment and listed again after it; they never change once written. What the site deletes
meanwhile is moved to the links (`benchmarks.storage.folder.remove`), even if it was created after the first listing.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from benchmarks.storage.folder import HOLDS
from benchsite.backup.archive import Writer, writing
from benchsite.backup.contents import LEFT_OUT, columns, tables
from benchsite.backup.files import FileTree, Folder, places
from benchsite.backup.rows import write_rows
from benchsite.supervisor.serve import key_print

ALIAS = "snapshot"


@contextmanager
def snapshot() -> Iterator[str]:
    """The alias of a connection that reads the database as of this moment and blocks no writer.

    SQLite in WAL mode gives that to every read-only transaction; PostgreSQL to a REPEATABLE READ one.
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
                cursor.execute("SELECT count(*) FROM django_migrations")  # the first query fixes the moment
            yield ALIAS
    finally:
        connection.close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


Show = Callable[[str, int, int], None]  # step, done, total


def back_up(target: Path, show: Show) -> dict[str, Any]:
    """Write the backup; return the numbers of rows, files and bytes."""
    with ExitStack() as stack:
        held = {folder: stack.enter_context(holding(files)) for folder, files in places().items()}
        alias = stack.enter_context(snapshot())
        for hold in held.values():
            hold.look_again()
        writer = stack.enter_context(writing(target))
        counted = _write_tables(writer, alias, show)
        gone = _write_files(writer, held, show)
        facts = {
            "version": settings.VERSION,
            "made_at": timezone.now().isoformat(),
            "database": connections[alias].vendor,
            "migrations": sorted(MigrationRecorder(connections[alias]).applied_migrations()),
            "tables": counted,
            "left_out": sorted(LEFT_OUT),
            "gone_meanwhile": gone,
            "secret_key_print": key_print(),
        }
        writer.finish(facts)
    return {
        "rows": sum(one["rows"] for one in counted.values()),
        "files": len(writer.parts) - len(counted),
        "gone_meanwhile": len(gone),
        "bytes": target.stat().st_size,
    }


def _write_tables(writer: Writer, alias: str, show: Show) -> dict[str, dict[str, Any]]:
    every = tables()
    total = sum(model._base_manager.using(alias).count() for model in every)
    done, counted = 0, {}

    def tell(count: int) -> None:
        nonlocal done
        done += count
        show("Rows", done, total)

    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR) as folder:
        for model in every:
            label, part = model._meta.label, Path(folder) / "part"
            rows = write_rows(model, columns(model), using=alias, target=part, tell=tell)
            with part.open("rb") as file:
                writer.add(f"database/{label}.jsonl.gz", file, part.stat().st_size)
            counted[label] = {"rows": rows, "columns": [field.attname for field in columns(model)]}
    return counted


def _write_files(writer: Writer, held: dict[str, "HeldFiles"], show: Show) -> list[str]:
    """Write the files; return the names of those withdrawn before they could be read."""
    every = [(folder, hold, name) for folder, hold in held.items() for name in hold.names]
    gone = []
    for done, (folder, hold, name) in enumerate(every, 1):
        try:
            with hold.open(name) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(0)
                writer.add(f"{folder}/{name}", file, size)
        except FileNotFoundError:
            gone.append(f"{folder}/{name}")
        show("FileTree", done, len(every))
    return gone


class HeldFiles:
    """File names in a folder whose contents stay readable even if the files are deleted meanwhile."""

    def __init__(self, files: FileTree, folder: Path | None) -> None:
        self.files, self.folder = files, folder
        self.names: list[str] = []
        self.look_again()

    def look_again(self) -> None:
        """List and link what is new; the links come last, since a file may be deleted during the listing."""
        known = set(self.names)
        for name in chain(self.files.names(), Folder(self.folder).names() if self.folder else ()):
            if name not in known:
                self._hold(name)
                self.names.append(name)
                known.add(name)

    def _hold(self, name: str) -> None:
        if self.folder is None:
            return
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # already deleted, or a file system without links: the original is read instead
            os.link(self.folder.parent / name, target)

    def open(self, name: str) -> Any:
        if self.folder and (self.folder / name).is_file():
            return (self.folder / name).open("rb")
        return self.files.open(name)


@contextmanager
def holding(files: FileTree) -> Iterator[HeldFiles]:
    if not isinstance(files, Folder) or not files.root.is_dir():
        yield HeldFiles(files, None)
        return
    for left in files.root.glob(f"{HOLDS}*"):
        shutil.rmtree(left, ignore_errors=True)  # left by a killed backup
    folder = files.root / f"{HOLDS}{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield HeldFiles(files, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
