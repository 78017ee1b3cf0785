"""Uploads to withheld answers: the number of listings per calendar month is limited by model and by sender."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.models import User
from benchmarks.models import Item
from evaluation.models import HiddenListing, Listing, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.lifecycle import _next_month
from tests.evaluation.submissions.uploads import proposed, small_pack
from tests.factories import set_expected

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss")


@pytest.fixture
def pack(pack, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 2
    set_expected(Item.objects.filter(public_id="small0"), None)
    return pack


def test_the_third_listing_of_a_sender_waits_for_the_next_month_whatever_its_model_is_called(pack, user, boss):
    runs = [proposed(pack, user, model=name) for name in ("one", "two", "three")]
    for run in runs[:2]:
        lifecycle.list_run(run=run, by=boss)
    with pytest.raises(SubmissionRefused, match=r"the next can be listed from \d{4}-\d\d-01 on"):
        lifecycle.list_run(run=runs[2], by=boss)
    assert Run.objects.get(pk=runs[2].pk).listing == Listing.SUBMITTED
    HiddenListing.objects.update(at=datetime(2020, 1, 31, tzinfo=UTC))
    assert lifecycle.list_run(run=runs[2], by=boss).listing == Listing.LISTED


def test_what_was_deleted_goes_on_counting_and_the_same_run_again_does_not(pack, user, boss, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 1
    first, second = proposed(pack, user, model="one"), proposed(pack, user, model="two")
    for _ in range(2):
        first = lifecycle.list_run(run=first, by=boss)
        first = lifecycle.decline(run=first, by=boss, reason="again")
    lifecycle.delete_submission(run=first)
    with pytest.raises(SubmissionRefused, match="1 runs with withheld answers"):
        lifecycle.list_run(run=second, by=boss)


def test_others_and_packs_without_withheld_answers_are_not_counted(pack, user, boss, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 1
    public = small_pack("public")
    bea = User.objects.create_user("bea")
    for place, sender, name in ((pack, user, "a"), (pack, bea, "b"), (public, user, "c"), (public, user, "d")):
        lifecycle.list_run(run=proposed(place, sender, model=name), by=boss)
    assert HiddenListing.objects.count() == 2


def test_staff_see_what_is_used(pack, user, client, boss):
    address = f"/submit/{proposed(pack, user).pk}/"
    client.force_login(boss)
    assert "0 of 2 uploads to withheld answers" in client.get(address).content.decode()
    client.force_login(user)
    assert "uploads to withheld answers" not in client.get(address).content.decode()


def test_the_next_month_begins_on_its_first():
    for moment, first in ((datetime(2026, 11, 22, 12), "2026-12-01"), (datetime(2026, 12, 31, 12), "2027-01-01")):
        assert _next_month(timezone.make_aware(moment, UTC)).isoformat() == f"{first}T00:00:00+00:00"
