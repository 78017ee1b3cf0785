"""Invitations, newcomer limits, and the same person in several trials."""

import pytest
from django.test import Client

from humantrials.identities import salted_ids
from humantrials.models import Trial
from humantrials.results.data_set import Source, people_rows
from humantrials.running.lifecycle import close_trial
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker
from tests.markup import table

pytestmark = pytest.mark.django_db


@pytest.fixture
def links(trial, staff) -> list[str]:
    assert staff.post(f"/trials/{trial.slug}/manage/panel/?panel=invited", {"invitations": "3"}).status_code == 302
    rows = table(staff.get(f"/trials/{trial.slug}/manage/panel/invitations.csv").content.decode())
    assert trial.events.filter(kind="invitations", note="3 links").exists()
    return [row["link"].removeprefix("http://testserver") for row in rows]


def test_each_link_admits_one_person_again_and_again(trial, links):
    people = [Walker.at(Client(), link).agree() for link in links[:2]]
    for link, person in zip(links, people, strict=False):
        assert Walker.at(Client(), link).press(step="return").road == person.road
    assert trial.participants.count() == 2


@pytest.mark.parametrize("change", ["", "?participant=me", "?invitation=", "?invitation=4-x", "?invitation=99999999-a"])
def test_nobody_else_can_enter(trial, links, change):
    page = Client().get(f"/t/{trial.slug}/{change}")
    assert page.status_code == 403
    assert "This link is no invitation" in page.content.decode()
    assert not trial.participants.exists()


def test_a_link_of_another_number_or_study_is_none(trial, links, staff):
    assert Client().get(links[1].replace("invitation=2-", "invitation=1-")).status_code == 403
    other = running_trial(trial.pack, slug="other", replicates=1)
    staff.post("/trials/other/manage/panel/?panel=invited", {"invitations": "3"})
    assert Client().get(links[0].replace(f"/t/{trial.slug}/", "/t/other/")).status_code == 403
    assert not other.participants.exists()


def test_more_invitations_leave_those_that_were_sent_valid(trial, links, staff):
    staff.post(f"/trials/{trial.slug}/manage/panel/?panel=invited", {"invitations": "5"})
    listed = staff.get(f"/trials/{trial.slug}/manage/panel/invitations.csv").content.decode()
    assert [line for line in links if line in listed] == links
    assert len(listed.splitlines()) == 6


@pytest.mark.parametrize("typed", ["0", "many", "10001", "-1"])
def test_a_bad_number_is_said_at_the_field(trial, staff, typed):
    page = staff.post(f"/trials/{trial.slug}/manage/panel/?panel=invited", {"invitations": typed})
    assert page.status_code == 400
    assert "a number from 1 to 10000" in page.content.decode()
    assert staff.get(f"/trials/{trial.slug}/manage/panel/invitations.csv").status_code == 404


@pytest.mark.usefixtures("one_window")
def test_the_author_limits_newcomers(client):
    trial = running_trial(physics_pack(tests=1), replicates=9, newcomers="2")
    people = [Walker(client, trial, name).agree() for name in "ab"]
    page = Walker(client, trial, "c").agree().page
    for name, earlier in zip("ab", people, strict=True):
        assert Walker(client, trial, name).press(step="return", code=earlier.person.receipt_code).road == earlier.road
    assert page.status_code == 429
    assert "try again in an hour" in page.content.decode()
    assert trial.participants.count() == 2


def test_the_salted_name_is_exported_beside_codes_alone(trial):
    Walker(Client(), trial, "anna").agree()
    close_trial(trial=trial)
    trial = Trial.objects.get(pk=trial.pk)
    (salted,) = salted_ids(trial).values()
    header, row = people_rows(Source(trial, is_anonymous=False))
    assert dict(zip(header, row, strict=True))["person"] == salted
    header, row = people_rows(Source(trial))
    assert "person" not in header
    assert salted not in row
