"""The machine's clock jumps by a year, forwards and back: pages work, sheets keep their holders, keys expire."""

import time
from datetime import timedelta

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from accounts.models import new_token
from benchmarks.disclosure.doors import is_signed, signed_address
from tests.factories import make_clip
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
PAGES = (
    *("/", "/leaderboard/grasp/", "/trials/", "/trials/running/", "/api/v1/items/", "/api/v1/trials/"),
    *("/readyz", "/account/sign-in/", "/metrics"),
)
YEAR = timedelta(days=365)


@pytest.fixture
def jump(monkeypatch):
    """Shift the process's clock by this much; the database has its own clock."""
    now, seconds = timezone.now, time.time

    def by(span: timedelta) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: now() + span)
        monkeypatch.setattr(time, "time", lambda: seconds() + span.total_seconds())

    return by


@pytest.mark.parametrize("way", [YEAR, -YEAR])
def test_a_sheet_stays_with_its_holder_and_answers_count_whatever_the_clock_says(client, jump, way):
    walker = Walker(client, trial := running_trial(physics_pack(tests=2), replicates=1)).reach_trials()
    walker.answer()
    held, before = trial.sheets.get(holder__isnull=False), timezone.now()
    jump(way)
    assert client.post(f"{walker.road}beat/").json() == {"kept": True}
    assert Walker(Client(), trial, "other").agree().page.status_code == 200
    ends = trial.sheets.filter(state="leased").values_list("lease_until", flat=True)
    assert len(ends) == 2
    assert all(before < end < before + timedelta(days=1) for end in ends)  # by the clock that did not jump
    walker.answer()
    jump(-way)
    assert client.get(walker.road).status_code == 200
    held.refresh_from_db()
    assert held.holder.judgments.count() == 2
    assert all(Client().get(path).status_code == 200 for path in PAGES)


@pytest.mark.parametrize("way", [YEAR, -YEAR])
def test_no_page_minds_the_clock(submitter, jump, way):
    running_trial(physics_pack(tests=1))
    jump(way)
    assert [submitter.get(path).status_code for path in PAGES if "sign-in" not in path] == [200] * (len(PAGES) - 1)
    assert [Client().get(path).status_code for path in PAGES] == [200] * len(PAGES)
    for password, status in (("a long password 1", 302), ("wrong", 200)):
        typed = {"login": "submitter", "password": password}
        assert Client().post("/account/sign-in/", typed).status_code == status


def test_keys_sessions_and_signed_links_that_ran_out_end_in_words_and_come_back_with_the_clock(submitter, jump):
    key = new_token(user=submitter.user, name="k", days=1)
    rendition = make_clip().renditions.get()
    signature = signed_address(rendition).partition("signed=")[2]

    def seen() -> tuple:
        answer = Client().get("/api/v1/items/", headers={"Authorization": f"Token {key}"})
        return answer.status_code, is_signed(rendition, signature)

    assert seen() == (200, True)
    jump(YEAR)
    assert seen() == (401, False)
    assert submitter.get("/account/").status_code in (200, 302)
    jump(-YEAR)
    assert seen() == (200, True)
    assert signing.TimestampSigner().unsign(signing.TimestampSigner().sign("a"), max_age=1) == "a"
