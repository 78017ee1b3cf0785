"""Private, submitted, listed, declined: allowed transitions, and the board's update."""

import re

import pytest

from accounts.models import User
from evaluation.models import Listing, Model, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.lifecycle import decline, delete_submission, list_run, propose, withdraw
from evaluation.submissions.store.submit import submit
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import header, json_lines, stored, upload
from tests.factories import make_item, make_model, make_pack, make_run

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


def test_a_listed_upload_is_a_row_and_leaves_when_taken_back(pack, user):
    run = stored(pack, user)
    for act, rows in ((propose, []), (list_run, [("A model", "uploaded", 0.5)]), (withdraw, [])):
        act(run=run, by=user)
        refresh()
        standings = Standing.objects.filter(split="all")
        assert [(row.name, row.kind, row.overall["score"]) for row in standings] == rows


def test_an_accepted_file_of_one_answer_is_a_baseline_on_every_page(visitor, user):
    pack = make_pack(name="yes")
    for place in range(12):
        facets = {"level": ("2",), "test": ("Gravity",), "concept": ("gravity",), "split": ("all",)}
        make_item(pack, kind="plausibility", expected="yes" if place % 3 else "no", variant="", facets=facets)
    rows = [{"item": item.public_id, "answer": "yes"} for item in pack.items.all()]
    file = upload(json_lines(header(pack, strategy="plausibility"), *rows))
    run = submit(file=file, user=user)
    propose(run=run, by=user)
    list_run(run=run, by=user)
    refresh()
    board = visitor.get("/leaderboard/grasp/?level=2&format=json").json()
    assert [row["is_baseline"] for row in board["rows"] if row["kind"] == "uploaded"] == [True]
    assert board["leaders"]["here"] is None
    for path in ("/", "/concepts/", "/concepts/gravity/", "/models/a-model/"):
        assert "model uploaded" not in visitor.get(path).content.decode()
    page = visitor.get("/leaderboard/grasp/?level=2").content.decode()
    row, *_ = re.findall(r"<tr(?:(?!<tr).)*?>A model<.*?</th>", page, re.DOTALL)
    assert "Baseline" in row
