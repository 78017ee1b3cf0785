"""Planted copies, invented answers and short replies are flagged; honest rows with realistic errors are not."""

import numpy as np
import pytest

from benchmarks.disclosure.seals import answers_loaded
from benchmarks.models import Item
from evaluation.models import Listing, RunKind, Score
from evaluation.submissions.listing.integrity import IntegrityChecks, flag
from tests.factories import answer_to, make_answers, make_item, make_model, make_pack, make_run, set_expected

pytestmark = pytest.mark.django_db
N = 120


@pytest.fixture
def pack():
    made = make_pack(name="hard")
    for number in range(N):
        make_item(made, key=f"item{number}", expected="yes" if number % 2 else "no")
    return made


def answered(pack, right, **values):
    """A run that is right on the items of these places."""
    run = make_run(pack, model=make_model(), **values)
    other = {"yes": "no", "no": "yes"}
    items = pack.items.order_by("pk")
    make_answers(run, {item: answer_to(item) if ok else other[answer_to(item)] for item, ok in zip(items, right)})
    return run


def upload(pack, right, *, asked=None, **card):
    return answered(
        pack, right, kind=RunKind.UPLOADED, listing=Listing.SUBMITTED, card={"given": "answer", **card}, **(asked or {})
    )


def honest(rng, skill=0.0):
    """Right and wrong answers of a model whose errors share the difficulty of questions with other models."""
    hardness = np.random.default_rng(7).normal(0, 2.5, N)
    return rng.random(N) < 1 / (1 + np.exp(-(0.8 + skill - hardness)))


@pytest.fixture
def rows(pack):
    rng = np.random.default_rng(1)
    return [answered(pack, honest(rng)) for _ in range(4)]


def codes(run):
    return [one.code for one in flag(run)]


def test_honest_uploads_have_no_flag(pack, rows):
    rng = np.random.default_rng(2)
    assert [codes(upload(pack, honest(rng, skill))) for skill in (-0.5, 0.0, 0.5, 1.0)] == [[], [], [], []]


@pytest.mark.parametrize("changed", [0, 3])
def test_a_copy_of_another_row_is_flagged_with_its_name(pack, rows, changed):
    right = np.random.default_rng(1)
    copied = honest(right)
    copied[:changed] = ~copied[:changed]
    found = flag(upload(pack, copied))
    assert [one.code for one in found] == ["copied"]
    assert rows[0].model.name in found[0].what


def test_a_copy_of_an_upload_that_waits_is_flagged_however_it_says_it_was_asked(pack):
    right = honest(np.random.default_rng(1))
    first = upload(pack, right)
    assert codes(first) == []
    [found] = flag(upload(pack, right, asked={"strategy": "craft-cot", "condition": "text"}))
    assert (found.code, first.model.name in found.what) == ("copied", True)
    for errors, flags in ((4, []), (5, ["copied"])):  # few errors that are all the same are a copy, too
        right = np.arange(N) >= errors
        upload(pack, right)
        assert codes(upload(pack, right)) == flags


def test_uploads_that_wait_are_checked_again_when_answers_arrive(pack, django_capture_on_commit_callbacks):
    set_expected(pack.items.all(), None)
    items, said = list(pack.items.order_by("pk")), {}
    for number in range(2):
        run = make_run(pack, model=make_model(), kind=RunKind.UPLOADED, listing=Listing.SUBMITTED)
        said[run] = make_answers(run, {item: "yes" if place % 3 else "no" for place, item in enumerate(items)})
    Score.objects.filter(reading__response__cell__item__in=items).delete()
    assert [codes(run) for run in said] == [[], []]
    for place, item in enumerate(items):
        set_expected([item], "yes" if place % 4 else "no")
        item.save()
    with django_capture_on_commit_callbacks(execute=True):
        answers_loaded.send(Item, items=[item.pk for item in items])
    assert [[one.code for one in run.flags.all()] for run in said] == [["copied"], ["copied"]]


def test_errors_drawn_at_random_and_the_key_itself_are_flagged(pack, rows):
    assert codes(upload(pack, np.random.default_rng(3).random(N) < 0.75)) == ["like-nobody"]
    assert codes(upload(pack, np.ones(N, bool))) == ["no-error"]


def test_short_replies_to_a_prompt_that_asks_to_reason_are_flagged(pack):
    run = upload(pack, np.arange(N) % 3 > 0, given="reply")
    run.strategy = "craft-cot"
    assert [code for code, _ in IntegrityChecks(run).findings()] == ["short"]


def test_flags_are_for_staff_alone_and_found_anew_each_time(pack, rows, staff, user, client):
    run = upload(pack, np.ones(N, bool), lint={"rows": N, "score": 1.0, "scored": N, "coverage": []}, history=[])
    run.owner = user
    run.save()
    flag(run), flag(run)
    assert run.flags.count() == 1
    assert "no-error" in staff.get("/submit/inbox/").content.decode()
    client.force_login(user)
    page = client.get(f"/submit/{run.pk}/")
    assert page.status_code == 200
    assert "no-error" not in page.content.decode()
