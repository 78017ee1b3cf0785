"""Writes the site's whole state to one file while the site runs, and blocks no writer.

First the database is copied as of one moment, then the files, which never change once written. What the site deletes
from a folder of media meanwhile is moved to the backup's own folder (`benchmarks.storage.folder.remove`), so that every
file which a copied row names is in the backup.
"""

import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage
from django.db import connection, transaction

from benchmarks import leasing
from benchmarks.storage.folder import HOLDS
from benchsite.backup.archive import DATABASE, Writer, writing
from benchsite.backup.state import LEFT_OUT, Show, copy_rows, count_rows, migrate, names_in, opened, places
from benchsite.serving.serve import key_print


def back_up(target: Path, show: Show) -> dict[str, Any]:
    """Write the backup; return the numbers of rows, files and bytes."""
    with taking_deletions() as deleted, tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
        database = Path(folder) / DATABASE
        rows = _copy_database(database, show)
        with writing(target) as writer:
            with database.open("rb") as file:
                writer.add(DATABASE, file, database.stat().st_size)
            gone = _write_files(writer, deleted, show)
            files = writer.parts - 1
            facts = {
                "version": settings.VERSION,
                "made_at": leasing.database_now().isoformat(),
                "database": connection.vendor,
            }
            writer.finish({**facts, "gone_meanwhile": gone, "secret_key_print": key_print()})
    return {"rows": rows, "files": files, "gone_meanwhile": len(gone), "bytes": target.stat().st_size}


def _copy_database(file: Path, show: Show) -> int:
    """Copy every table of the state into this SQLite file; return the number of rows."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as own, closing(sqlite3.connect(file)) as copy:
            own.backup(copy)
            _clear(copy)
        with opened(file) as alias:
            return count_rows(alias)
    migrate(file)
    with opened(file) as alias, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return copy_rows("default", alias, show)


def _clear(copy: sqlite3.Connection) -> None:
    """Delete what is left out so that no byte of it stays, and make the copy a single file."""
    copy.execute("PRAGMA secure_delete = ON")
    for label in LEFT_OUT:
        copy.execute(f"DELETE FROM {apps.get_model(label)._meta.db_table}")  # noqa: S608  # our own names # nosec B608
    copy.commit()
    copy.execute("PRAGMA journal_mode = DELETE")


def _write_files(writer: Writer, deleted: Storage, show: Show) -> list[str]:
    """Write the files; return the names of those that were gone before they could be read."""
    found = [(folder, storage, name) for folder, storage in places().items() for name in names_in(storage)]
    known = {name for folder, _, name in found if folder == "media"}
    found += [("media", deleted, name) for name in names_in(deleted) if name not in known]
    gone = []
    for done, (folder, storage, name) in enumerate(found, 1):
        try:
            _write_file(writer, f"{folder}/{name}", storage, deleted, name)
        except FileNotFoundError:
            gone.append(f"{folder}/{name}")
        show("Files", done, len(found))
    return gone


def _write_file(writer: Writer, part: str, storage: Storage, deleted: Storage, name: str) -> None:
    try:
        file = storage.open(name)
    except FileNotFoundError:  # deleted since it was listed
        file = deleted.open(name)
    with file:
        writer.add(part, file, file.size)


@contextmanager
def taking_deletions() -> Iterator[Storage]:
    """A folder below the media to which the site moves what it deletes from there meanwhile."""
    root = Path(settings.MEDIA_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    for left in root.glob(f"{HOLDS}*"):
        shutil.rmtree(left, ignore_errors=True)  # left by a killed backup
    folder = root / f"{HOLDS}{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield FileSystemStorage(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
