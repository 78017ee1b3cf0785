"""Uploads to withheld answers: the number of listings per calendar month is limited by model and by sender."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.models import User
from benchmarks.models import Item
from evaluation.models import HiddenListing, Listing, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.budget import _next_month
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, small_pack, upload
from tests.factories import set_expected

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def pack(db, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 2
    pack = small_pack()
    set_expected(Item.objects.filter(public_id="small0"), None)
    return pack


def proposed(pack, user, name):
    run = submit(file=upload(good_file(pack, model=name)), user=user)
    return lifecycle.propose(run=run, by=user)


def test_the_third_listing_of_a_sender_waits_for_the_next_month_whatever_its_model_is_called(pack, boss, monkeypatch):
    ada = User.objects.create_user("ada")
    runs = [proposed(pack, ada, name) for name in ("one", "two", "three")]
    for run in runs[:2]:
        lifecycle.list_run(run=run, by=boss)
    with pytest.raises(SubmissionRefused, match=r"the next can be listed from \d{4}-\d\d-01 on"):
        lifecycle.list_run(run=runs[2], by=boss)
    assert Run.objects.get(pk=runs[2].pk).listing == Listing.SUBMITTED
    HiddenListing.objects.update(at=datetime(2020, 1, 31, tzinfo=UTC))
    assert lifecycle.list_run(run=runs[2], by=boss).listing == Listing.LISTED


def test_what_was_deleted_goes_on_counting_and_the_same_run_again_does_not(pack, boss, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 1
    ada = User.objects.create_user("ada")
    first, second = proposed(pack, ada, "one"), proposed(pack, ada, "two")
    for _ in range(2):
        first = lifecycle.list_run(run=first, by=boss)
        first = lifecycle.decline(run=first, by=boss, reason="again")
    lifecycle.delete_submission(run=first)
    with pytest.raises(SubmissionRefused, match="1 runs with withheld answers"):
        lifecycle.list_run(run=second, by=boss)


def test_others_and_packs_without_withheld_answers_are_not_counted(pack, boss, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 1
    for name in ("ada", "bob"):
        lifecycle.list_run(run=proposed(pack, User.objects.create_user(name), name), by=boss)
    public = small_pack("public")
    for name in ("c", "d"):
        lifecycle.list_run(run=proposed(public, User.objects.get(username="ada"), name), by=boss)
    assert HiddenListing.objects.count() == 2


def test_staff_see_what_is_used(pack, client, boss):
    run = proposed(pack, User.objects.create_user("ada"), "one")
    client.force_login(boss)
    assert "0 of 2 uploads to withheld answers" in client.get(f"/submit/{run.pk}/").content.decode()
    client.force_login(User.objects.get(username="ada"))
    assert "uploads to withheld answers" not in client.get(f"/submit/{run.pk}/").content.decode()


@pytest.mark.parametrize(("moment", "first"), [("2026-11-22", "2026-12-01"), ("2026-12-31", "2027-01-01")])
def test_the_next_month_begins_on_its_first(moment, first):
    found = _next_month(timezone.make_aware(datetime.fromisoformat(f"{moment}T12:30"), UTC))
    assert found.isoformat() == f"{first}T00:00:00+00:00"
