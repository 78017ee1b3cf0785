"""A site that starts with another SECRET_KEY: users must sign in again, and the start says so."""

import re

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.core.signing import TimestampSigner
from django.test import Client

from accounts.models import new_token
from benchmarks.disclosure.doors import SIGNER, is_signed, signed_address
from benchsite.serving.serve import another_key
from humantrials.identities import simulator_signature
from humantrials.participation.pilots import is_pilot_key, pilot_key
from tests.factories import make_clip
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


@pytest.fixture
def other_key(settings, monkeypatch):
    """Give the site another key, and recompute the values that the process derived from it at its start."""

    def change() -> None:
        settings.SECRET_KEY = "another key than before, long enough for all"
        monkeypatch.setattr("benchmarks.disclosure.doors.SIGNER", TimestampSigner(salt=SIGNER.salt))

    return change


def test_sessions_end_and_keys_of_the_api_go_on(staff, other_key):
    key = new_token(user=staff.user, name="k")
    assert staff.get("/account/").status_code == 200
    other_key()
    assert [staff.get(path).status_code for path in ("/", "/leaderboard/grasp/", "/account/")] == [200, 200, 302]
    assert staff.post("/account/", {"first_name": "A"}).status_code == 302
    answer = Client().get("/api/v1/items/", headers={"Authorization": f"Token {key}"})
    assert answer.status_code == 200


def test_a_participant_goes_on_and_links_of_a_study_stay_good(client, other_key):
    walker = Walker(client, trial := running_trial(physics_pack(tests=1))).reach_trials()
    shown, signature = pilot_key(trial), simulator_signature(trial.slug)
    other_key()
    walker.answer()
    assert trial.judgments.count() == 1
    assert is_pilot_key(trial, shown)
    assert simulator_signature(trial.slug) == signature


def test_links_that_were_signed_end_in_words(client, submitter, other_key):
    rendition = make_clip().renditions.get()
    signature = signed_address(rendition).partition("signed=")[2]
    Client().post("/account/password/forgotten/", {"email": submitter.user.email})
    (link,) = re.findall(r"https?://[^/]+(/\S+)", mail.outbox[0].body)[:1]
    assert is_signed(rendition, signature)
    token = default_token_generator.make_token(submitter.user)
    other_key()
    assert not is_signed(rendition, signature)
    assert not default_token_generator.check_token(submitter.user, token)
    page = Client().get(link, follow=True)
    assert page.status_code == 200
    assert "invalid" in page.content.decode() or "already been used" in page.content.decode()


def test_the_start_says_so_once(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "the first key of this site")
    assert another_key() == another_key() == ""
    monkeypatch.setenv("SECRET_KEY", "the second one")
    assert "SECRET_KEY has changed" in another_key()
    assert another_key() == ""
