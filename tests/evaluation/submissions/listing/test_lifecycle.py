"""Private, submitted, listed, declined: allowed transitions, and the board's update."""

import pytest

from accounts.models import User
from evaluation.models import Listing, Model, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.lifecycle import decline, delete_submission, list_run, propose, withdraw
from tests.factories import make_model, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(user):
    model = make_model(kind="uploaded", owner=user)
    return make_run(model=model, kind="uploaded", listing=Listing.PRIVATE, owner=user, card={"history": []})


def test_the_way_onto_the_board_and_off_it(run, user):
    for act, listing in ((propose, "submitted"), (list_run, "listed"), (withdraw, "private")):
        assert act(run=run, by=user).listing == listing
    assert Run.objects.get().answers_version == 3
    assert [step["to"] for step in Run.objects.get().card["history"]] == ["submitted", "listed", "private"]


def test_a_declined_run_keeps_the_reason_and_may_come_again(run, user):
    propose(run=run, by=user)
    with pytest.raises(SubmissionRefused, match="say why"):
        decline(run=run, by=user, reason=" ")
    declined = decline(run=run, by=user, reason=" The model's name says nothing. ")
    assert declined.card["history"][-1]["reason"] == "The model's name says nothing."
    assert propose(run=run, by=user).listing == "submitted"


def test_a_step_that_is_not_on_the_way_is_refused_in_words_and_the_same_step_twice_is_one(run, user):
    assert [propose(run=run, by=user).answers_version for _ in range(2)] == [1, 1]
    for act, changes, why in (
        (list_run, {"listing": Listing.PRIVATE}, "can't become"),
        (withdraw, {"listing": Listing.DECLINED}, "can't become"),
        (list_run, {"state": "failed", "listing": Listing.SUBMITTED}, "failed"),
    ):
        Run.objects.update(**changes)
        with pytest.raises(SubmissionRefused, match=why):
            act(run=run, by=user)


@pytest.mark.parametrize(
    ("listing", "facts", "is_own", "is_sent"),
    [
        ("listed", {}, False, True),
        ("declined", {}, False, True),
        ("private", {}, False, False),
        ("listed", {"owner": None}, False, False),
        ("listed", {}, True, False),
        ("listed", {"email": ""}, False, False),
    ],
)
def test_a_sender_hears_of_what_others_decided(run, user, listing, facts, is_own, is_sent, monkeypatch):
    addresses = []
    monkeypatch.setattr(lifecycle, "send_mail", lambda *letter: addresses.append(letter[-1]))
    run.listing, run.owner = listing, facts.get("owner", user)
    user.email = facts.get("email", user.email)
    lifecycle.tell(run=run, by=user if is_own else User(pk=user.pk + 1))
    assert addresses == ([[user.email]] if is_sent else [])


def test_the_last_submission_takes_its_model_along(run):
    other = make_run(model=run.model, kind="uploaded")
    delete_submission(run=run)
    assert Model.objects.filter(pk=other.model_id).exists()
    delete_submission(run=other)
    assert not Model.objects.filter(pk=other.model_id).exists()
