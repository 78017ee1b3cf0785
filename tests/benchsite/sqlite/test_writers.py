"""Writers of an SQLite database wait for one another, a moment by asking again, longer in SQLite's own way."""

import sqlite3
import threading
from contextlib import closing

import pytest
from django.db import OperationalError, connections

from benchsite.sqlite.base import PAUSE, TRIES, DatabaseWrapper

pytestmark = pytest.mark.django_db
MOMENT, WHILE = 10 * PAUSE, 5 * TRIES * PAUSE  # seconds


@pytest.fixture
def site(tmp_path):
    """A connection of the site to a database in a file."""
    settings = {**connections.settings["default"], "NAME": tmp_path / "db"}
    settings["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 2 * WHILE}
    site = DatabaseWrapper(settings, "beside")
    site.inc_thread_sharing()
    yield site
    site.close()


@pytest.fixture
def other(tmp_path):
    with closing(sqlite3.connect(tmp_path / "db", check_same_thread=False, isolation_level=None)) as other:
        other.execute("CREATE TABLE seen (number)")
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.mark.parametrize("seconds", [MOMENT, WHILE])
def test_a_writer_that_finds_another_one_follows_it(site, other, seconds):
    threading.Timer(seconds, other.commit).start()
    site.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert site.connection.in_transaction
    site.connection.execute("INSERT INTO seen VALUES (1)")
    site.commit()
    assert other.execute("SELECT number FROM seen").fetchall() == [(1,)]
    assert site.connection.execute("PRAGMA busy_timeout").fetchone() == (int(2000 * WHILE),)


def test_a_writer_that_never_gets_its_turn_is_told_so(site, other):
    with pytest.raises(OperationalError, match="locked"):
        site.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert site.get_autocommit()
