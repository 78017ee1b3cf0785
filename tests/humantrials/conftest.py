"""A short trial, and somebody at its door; for browsers a real site, Chromium, and somebody in front of it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Browser

from humantrials.models import Trial
from tests.chromium import open_chromium
from tests.humantrials.scenery import physics_item, physics_pack, running_trial
from tests.humantrials.seat import Seat
from tests.humantrials.site import staged_site
from tests.humantrials.walker import Walker
from tests.site import Site

# Three clips a sheet: `walk` has enough sheets for every test, `framed` is for panels, `rush` has twenty sheets. The
# others are one for each further protocol.
TRIALS: dict[str, dict] = {
    "walk": {"replicates": 15, "seal": False},
    "framed": {"replicates": 1},
    "rush": {"replicates": 10},
    "pairs": {"protocol": "pacs-audio", "replicates": 4, "items": 2, "qualified": "phone-de phone-ar keys look"},
    "parts": {"protocol": "craft-five-part", "replicates": 2, "items": 10},
    "ground": {"protocol": "grasp-grounding", "replicates": 2, "per_test": 1},
    "rated": {"protocol": "giraffe-rating", "replicates": 3, "items": 1},
    "picked": {"protocol": "giraffe-choice", "replicates": 3, "items": 2},
    "box-keys": {"protocol": "pacs-annotation", "items": 2},
    "box-phone": {"protocol": "pacs-annotation", "items": 2},
}


@pytest.fixture
def trial(db) -> Trial:
    """Two tests, one plausible and one implausible clip each, one answer wanted: two sheets of two clips."""
    pack = physics_pack(tests=2)
    physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    return running_trial(pack, replicates=1)


@pytest.fixture
def walker(client, trial) -> Walker:
    return Walker(client, trial)


@pytest.fixture(scope="session")
def tables(tmp_path_factory, django_db_setup, django_db_blocker) -> Path | None:
    """The tests' own tables as a file, so that a site need not make them once more; None where they are no SQLite's.

    They hold no rows: a fixture of the session is there before any test has begun to write. Where no test of the
    session asks for a database there are none of them either, and a site makes its own.
    """
    if connection.vendor != "sqlite":
        return None
    path = tmp_path_factory.mktemp("tables") / "db.sqlite3"
    with django_db_blocker.unblock(), closing(sqlite3.connect(path)) as copy:
        connection.ensure_connection()
        connection.connection.backup(copy)
    return path


@pytest.fixture(scope="session")
def site(tmp_path_factory, tables) -> Iterator[Site]:
    with staged_site(tmp_path_factory.mktemp("browser"), TRIALS, tables=tables) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as it is when people block cookies of other sites."""
    with open_chromium("--test-third-party-cookie-phaseout") as browser:
        yield browser


@pytest.fixture
def seat(site, browser, request) -> Iterator[Seat]:
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    yield Seat(site, context, request.node.name)
    context.close()
