"""Quotas of a submitter: what is limited, what never counts, and the messages."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from evaluation.models import Cell, CellState, Listing, RunState
from evaluation.queue.quotas import QuotaSpent, check_quota, quotas_of
from evaluation.runs.lifecycle import cancel_run, start_run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing.lifecycle import delete_submission
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, json_lines, small_pack, upload
from tests.factories import make_answer, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    return User.objects.create_user("ada")


def used(user):
    return [quota.used for quota in quotas_of(user)]


@pytest.mark.requirement("M2")
def test_failures_and_cancels_before_the_first_result_never_count(user):
    counted = 0
    for state, is_answered, counts in (
        (RunState.QUEUED, False, True),
        (RunState.RUNNING, True, True),
        (RunState.FINISHED, True, True),
        (RunState.FAILED, True, False),
        (RunState.CANCELLED, False, False),
        (RunState.CANCELLED, True, True),
    ):
        run = make_run(owner=user, state=state)
        item = make_item(run.pack)
        make_answer(run, item) if is_answered else Cell.objects.create(run=run, item=item, state=CellState.OPEN)
        counted += counts
        assert used(user)[:2] == [counted, counted], (state, is_answered)


@pytest.mark.requirement("M2")
def test_cancelling_a_stuck_run_gives_its_place_back(user, settings):
    settings.SUBMISSIONS_A_DAY = 1
    pack = make_pack()
    make_item(clip=make_clip(pack))
    model = make_model()
    stuck = start_run(model=model, pack=pack, strategy="binary", owner=user)
    with pytest.raises(QuotaSpent, match="1 of 1 submissions today"):
        start_run(model=model, pack=pack, strategy="binary", owner=user)
    cancel_run(run=stuck)
    assert start_run(model=model, pack=pack, strategy="binary", owner=user).state == RunState.QUEUED


@pytest.mark.requirement("M2")
def test_a_file_that_is_refused_costs_nothing_nor_the_same_file_again(user, settings):
    settings.SUBMISSIONS_A_DAY = 1
    pack = small_pack()
    for content in (b"", b"<html>", good_file(pack) + json_lines({"item": "none", "answer": "yes"})):
        with pytest.raises(SubmissionRefused):
            submit(file=upload(content), user=user)
    run, again = (submit(file=upload(good_file(pack)), user=user) for _ in range(2))
    assert again == run
    assert run.listing == Listing.PRIVATE


def test_the_day_is_utc_and_begins_anew_at_midnight(user, settings, monkeypatch):
    settings.SUBMISSIONS_A_DAY = 1
    run = make_run(owner=user)
    at = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    type(run).objects.update(created_at=at)
    monkeypatch.setattr("benchmarks.leasing.database_now", lambda: at)
    with pytest.raises(QuotaSpent, match="room again at 2026-03-02 00:00 UTC"):
        check_quota(user)
    monkeypatch.setattr("benchmarks.leasing.database_now", lambda: at + timedelta(minutes=1))
    check_quota(user)
    type(run).objects.update(created_at=at + timedelta(minutes=1))  # at midnight sharp
    with pytest.raises(QuotaSpent, match="1 of 1 submissions today"):
        check_quota(user)


def test_what_was_deleted_after_its_result_was_seen_goes_on_counting_and_a_failure_does_not(user):
    delete_submission(run=make_run(owner=user, kind="uploaded", state=RunState.FAILED))
    assert used(user) == [0, 0, 0]
    delete_submission(run=submit(file=upload(good_file(small_pack())), user=user))
    assert used(user) == [1, 1, 0]
    assert used(User.objects.create_user("bea")) == [0, 0, 0]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [("SUBMISSIONS_IN_ALL", "1 of 1 submissions in all"), ("SUBMISSIONS_AT_ONCE", "1 of 1 submissions under way")],
)
def test_each_limit_says_which_it_is(user, settings, setting, sentence):
    setattr(settings, setting, 1)
    make_run(owner=user, state=RunState.RUNNING)
    with pytest.raises(QuotaSpent, match=sentence):
        check_quota(user)


def test_staff_have_no_limit_and_nobody_elses_runs_count(user, settings):
    settings.SUBMISSIONS_A_DAY = 1
    staff = User.objects.create_user("staff", is_staff=True)
    for _number in range(2):
        make_run(owner=staff)
    check_quota(staff)
    check_quota(user)


def test_a_reader_is_told_whom_to_ask(settings):
    reader = User.objects.create_user("reader", role="reader")
    with pytest.raises(SubmissionRefused, match="ask the site's staff"):
        submit(file=upload(good_file(small_pack())), user=reader)
