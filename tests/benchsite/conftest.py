"""Fixtures: the written log lines, and a database with all tables."""

import contextlib
import io
import json
import logging
import sqlite3
from pathlib import Path

import pytest

from benchsite.logs.logging import formatter
from benchsite.serving.embedded_database import MADE
from evaluation.models import Run
from evaluation.runs.lifecycle import start_run
from tests.benchsite.sites import on_sqlite
from tests.factories import make_item, make_model, make_pack
from tests.programs import python
from tests.site import environment


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


@pytest.fixture
def queued(db) -> Run:
    """A run that waits for a worker."""
    make_item(pack := make_pack())
    return start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")


@pytest.fixture(scope="session")
def tables(tmp_path_factory) -> Path:
    """A database file with all tables."""
    place = on_sqlite(tmp_path_factory.mktemp("tables"))
    done = python(["manage.py", "migrate", "--verbosity", "0"], environment(place.folder) | place.extra, timeout=600)
    assert done.returncode == 0, done.stderr
    database = place.folder / "var" / "db.sqlite3"
    with contextlib.closing(sqlite3.connect(database)) as made:
        made.execute(f"PRAGMA user_version = {MADE}")  # otherwise each command on a copy would migrate first
    return database
