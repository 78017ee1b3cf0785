"""Fixtures for logs and upgrades: the written log lines, and a database with all tables."""

import contextlib
import io
import json
import logging
import sqlite3
from pathlib import Path

import pytest

from benchsite.observability.logging import formatter
from benchsite.supervisor.embedded_database import MADE
from tests.benchsite.sites import on_sqlite
from tests.site import environment
from tests.warm import Program


class Lines:
    """Log lines as text and as objects."""

    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def all(self, **wanted) -> list[dict]:
        lines = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if wanted.items() <= line.items()]


@pytest.fixture
def lines():
    """All log lines from level DEBUG, in production's format."""
    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter("json"))
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield Lines(stream)
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture(scope="session")
def upgraded(tmp_path_factory) -> tuple[Path, list[list[str]]]:
    """A database file with all tables, made by two simultaneous upgrades, and the migrations that each applied."""
    place = on_sqlite(tmp_path_factory.mktemp("tables"))
    said = [place.folder / name for name in ("first", "second")]
    with contextlib.ExitStack() as files:
        outputs = [files.enter_context(path.open("wb")) for path in said]
        env = environment(place.folder) | place.extra
        both = [Program(["manage.py", "upgrade", "--json"], env, stdout=output.fileno()) for output in outputs]
        assert [one.wait(600) for one in both] == [0, 0]
    database = place.folder / "var" / "db.sqlite3"
    with contextlib.closing(sqlite3.connect(database)) as made:
        made.execute(f"PRAGMA user_version = {MADE}")  # otherwise each command on a copy would migrate first
    return database, [json.loads(path.read_text())["migrations"] for path in said]


@pytest.fixture(scope="session")
def tables(upgraded) -> Path:
    """A database file with all tables."""
    return upgraded[0]
