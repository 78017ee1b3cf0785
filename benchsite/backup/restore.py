"""Fills an empty site from a backup; the two may use different databases.

Before anything changes, the file is checked completely and data that would be overwritten is listed. Rows are inserted
in one transaction: all or none.
"""

import math
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from benchmarks.commands import CallerMistake
from benchmarks.packs.import_release import learn_sizes
from benchsite.backup.archive import DATABASE, Archive
from benchsite.backup.state import OF_DJANGO, Show, copy_rows, migrate, names_in, opened, places, put, tables
from benchsite.serving import data_folder
from benchsite.serving.serve import key_print

MB = 1_000_000


def checked(path: Path, show: Show) -> Archive:
    """Open the archive and check all of it."""
    return Archive(path, lambda done, total: show("MB checked", math.ceil(done / MB), math.ceil(total / MB)))


def restore(archive: Archive, *, replace: bool, show: Show) -> dict[str, Any]:
    """Restore rows and files; return their numbers, and whether SECRET_KEY equals that of the backed-up site."""
    data_folder.make(settings.VAR_DIR)
    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR) as folder:
        file = Path(folder) / DATABASE
        archive.copy_database(file)
        is_older = _is_older(file)
        there = what_would_go()
        if there and not replace:
            words = ", ".join(f"{count} {name}" for name, count in there.items())
            raise CallerMistake(f"this site is not empty. `--replace` would delete: {words}")
        if is_older:
            migrate(file)
        call_command("migrate", verbosity=0, interactive=False)
        try:
            with opened(file) as alias:
                rows = copy_rows(alias, "default", show)
        except (DatabaseError, ValueError) as error:
            raise CallerMistake(f"{str(error).strip()}; nothing was restored") from error
    learn_sizes()
    files = _put_files(archive, show)
    is_same = archive.facts["secret_key_print"] == key_print()
    return {"rows": rows, "files": files, "replaced": there, "same_secret_key": is_same}


def _is_older(file: Path) -> bool:
    """Whether the backup lacks migrations of this version; one of a newer version is refused."""
    with closing(sqlite3.connect(file)) as database:
        recorded = set(database.execute("SELECT app, name FROM django_migrations").fetchall())
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    ours = {app.label for app in apps.get_app_configs()}
    if strange := sorted(f"{app}.{name}" for app, name in recorded - known if app in ours):
        raise CallerMistake(f"the backup was made by a newer version of the site, which has {', '.join(strange[:3])}")
    return bool(known - recorded)


def what_would_go() -> dict[str, int]:
    """Rows by table and files by folder that a restore would replace."""
    present = set(connection.introspection.table_names())
    counted = {
        model._meta.label: model._base_manager.count()
        for model in tables()
        if model._meta.label not in OF_DJANGO and model._meta.db_table in present
    }
    files = {f"files in {folder}": sum(1 for _ in names_in(storage)) for folder, storage in places().items()}
    return {name: count for name, count in (counted | files).items() if count}


def _put_files(archive: Archive, show: Show) -> int:
    """Replace all files by those of the backup; return their number."""
    total, done = sum(map(archive.count, places())), 0
    for folder, storage in places().items():
        for name in list(names_in(storage)):
            storage.delete(name)
        for name, content in archive.each(folder):
            put(storage, name, content)
            done += 1
            show("Files", done, total)
    return done
