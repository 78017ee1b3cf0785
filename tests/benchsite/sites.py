"""Sites without processes: a folder, a database, and the commands that work on them."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.programs import python
from tests.site import PATIENCE, environment, manage


@dataclass
class Place:
    """A separate site: a folder and a database."""

    folder: Path
    database: str
    key: str = "the same key as before, long enough"
    more: dict[str, str] = field(default_factory=dict)

    @property
    def extra(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "SECRET_KEY": self.key, "LOG_LEVEL": "WARNING", **self.more}

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return manage(self.folder, *arguments, **self.extra)

    def act(self, *acts: str) -> list:
        """The results of these acts of full_site.py, all in one process."""
        command = ["-m", "tests.benchsite.backup.full_site", " + ".join(acts)]
        done = python(command, environment(self.folder) | self.extra, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def content(self) -> tuple[list[str], dict[str, bytes]]:
        """Every row (of a site on SQLite) and every file."""
        with contextlib.closing(sqlite3.connect(self.folder / "var" / "db.sqlite3")) as database:
            rows = list(database.iterdump())
        media = self.folder / "media"
        return rows, {str(path): path.read_bytes() for path in media.rglob("*") if path.is_file()}

    def good(self, *arguments: str) -> dict:
        done = self.manage(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def on_sqlite(folder: Path, like: Path | None = None) -> Place:
    (folder / "var").mkdir(parents=True)
    (folder / "media").mkdir()
    if like:
        shutil.copy(like, folder / "var" / "db.sqlite3")
    return Place(folder, f"sqlite:///{folder / 'var' / 'db.sqlite3'}")
