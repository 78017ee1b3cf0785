"""Creates the tables of the embedded SQLite database when a command first needs them."""

import contextlib
import fcntl
import sqlite3
from pathlib import Path

from django.conf import settings
from django.db.backends.sqlite3.creation import DatabaseCreation

from benchsite.serving import data_folder
from benchsite.sqlite import SQLITE

MADE = 1  # SQLite's user_version once all tables exist

# Commands that create the tables themselves, or need none.
WITHOUT_DATABASE = {
    *("migrate", "health", "makemigrations", "check", "collectstatic", "serve", "help", "version"),
    *("snapshot verify", "compilemessages", "makemessages", "list strategies"),
}


def make_database(argv: list[str]) -> None:
    """Create the embedded database for a command that needs it, unless it exists or a database server is used."""
    if len(argv) < 2 or {"--help", "-h", "--version"} & set(argv):
        return
    database = settings.DATABASES["default"]
    if database["ENGINE"] != SQLITE or DatabaseCreation.is_in_memory_db(database["NAME"]):
        return
    path, needs_tables = Path(database["NAME"]), not {argv[1], " ".join(argv[1:3])} & WITHOUT_DATABASE
    if needs_tables or argv[1] == "migrate":
        _make_file(path)
    if needs_tables and not _is_made(path):
        _migrate_once(path)


def _make_file(path: Path) -> None:
    """Create an empty file readable only by its owner; SQLite's files beside it get the same permissions."""
    if path.parent == settings.VAR_DIR:
        data_folder.make(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)


def _is_made(path: Path) -> bool:
    """Whether all tables were created; an incomplete file counts as missing."""
    if not path.is_file():
        return False
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("PRAGMA user_version").fetchone()[0] == MADE


def _migrate_once(path: Path) -> None:
    """Migrate under a lock: of two commands on one empty folder, the second waits for the first."""
    import django
    from django.core.management import call_command

    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_made(path):
            django.setup()
            call_command("migrate", verbosity=0, interactive=False)
            with contextlib.closing(sqlite3.connect(path)) as database:
                database.execute(f"PRAGMA user_version = {MADE}")
