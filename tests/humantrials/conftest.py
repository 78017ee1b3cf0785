"""Fixtures for trials: a short trial with a participant, and for browser tests a real site and Chromium."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from humantrials.models import Trial
from humantrials.results import release
from tests.accounts.test_roles import client_of
from tests.humantrials.browser_participant import Seat
from tests.humantrials.fixtures import short_trial
from tests.humantrials.plain_client import Walker
from tests.humantrials.site import staged_site
from tests.site import Site

# Three clips per sheet. `walk` has enough sheets for every test, `framed` is for panels, `rush` has twenty sheets; the
# others cover the other protocols.
TRIALS: dict[str, dict] = {
    "walk": {"replicates": 21, "seal": False},
    "framed": {"replicates": 1},
    "rush": {"replicates": 10},
    "pairs": {"protocol": "pacs-audio", "replicates": 4, "items": 2, "qualified": "phone-de phone-ar"},
    "parts": {"protocol": "craft-five-part", "replicates": 2, "items": 10},
    "ground": {"protocol": "grasp-grounding", "replicates": 2, "per_test": 1},
    "rated": {"protocol": "giraffe-rating", "replicates": 3, "items": 1},
    "twice": {"protocol": "giraffe-rating", "replicates": 6, "items": 1},
    "picked": {"protocol": "giraffe-choice", "replicates": 5, "items": 2},
    "sure": {"replicates": 5, "seal": False, "confidence": "5", "why": 0.34},
    "rests": {"replicates": 2, "break_every": 1, "break_seconds": "4 to 60"},
}


@pytest.fixture(autouse=True)
def one_person_is_enough(monkeypatch):
    """Pages are checked on studies of one or two people; tests/humantrials/results/test_release.py has the rule."""
    monkeypatch.setattr(release, "MIN_PEOPLE", 1)


@pytest.fixture
def trial(db) -> Trial:
    """Two tests with a plausible and an implausible clip each, one answer per clip: two sheets of two clips."""
    return short_trial()


@pytest.fixture
def walker(client, trial) -> Walker:
    return Walker(client, trial)


@pytest.fixture
def author(db):
    """A client signed in as an author, who runs studies without being staff."""
    return client_of("author")


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    with staged_site(tmp_path_factory.mktemp("browser"), TRIALS) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium) -> Browser:
    return chromium


@pytest.fixture
def take_seat(site, browser) -> Iterator[Callable[..., Seat]]:
    """Seats a participant of this name at a browser of this shape, which is open to the end of the test."""
    with ExitStack() as until_the_end:

        def take(name: str, **shape) -> Seat:
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **shape})
            return Seat(site, until_the_end.enter_context(context), name)

        yield take


@pytest.fixture
def seat(take_seat, request) -> Seat:
    return take_seat(re.sub(r"\W", "-", request.node.name))
