"""Identities are in one table only."""

import re

import pytest

from humantrials.identities import (
    Arrival,
    AtTheDoor,
    Comer,
    NotLetIn,
    digest_of,
    other_trials,
    qualification,
    refresh_visit,
    salted_ids,
    same_person,
    who_comes,
)
from humantrials.models import Participant, Trial
from humantrials.models.identity import Identity
from humantrials.panels import PANELS
from humantrials.panels.generic import read_arrival
from humantrials.participation.door import begin, newcomer
from humantrials.planning.authored_texts import consent_of
from tests.humantrials.fixtures import running_trial

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("parameters", "external_id"),
    [
        ({"PROLIFIC_PID": "a1", "STUDY_ID": "s"}, "a1"),
        ({"workerId": "w", "assignmentId": "x"}, "w"),
        ({"participant": " p "}, "p"),
        ({"participant": ""}, ""),
        ({"utm_source": "mail"}, ""),
        ({}, ""),
        ({"id": "x" * 200}, "x" * 200),
        ({"participant": "an\u200bna\u202e"}, "anna"),
        ({"participant": "\u200b"}, ""),
        ({"participant": "\u0661\uff12"}, "12"),
        ({"participant": "a1", "utm_campaign": "{{campaign}}"}, "a1"),
    ],
)
def test_a_panel_names_people_by_its_own_parameter(parameters, external_id):
    assert read_arrival(parameters).external_id == external_id


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"),
        ("workerId", "${e://Field/ResponseID}"),
        ("participant", "%PID%"),
        ("participant", "class-%PID%"),
        ("pid", "[ID]"),
        ("pid", "<id>"),
        ("id", "{id}"),
        ("id", "$PID"),
        ("id", "*|ID|*"),
        ("id", "\ufffdRESS%"),
        ("participant", "ID"),
        ("participant", "I\u200bD"),
        ("PARTICIPANT_ID", "PARTICIPANT_ID"),
        ("participant", "your id"),
        ("participant", "x" * 201),
    ],
)
@pytest.mark.parametrize("panel", PANELS)
def test_what_a_panel_did_not_fill_in_is_refused_by_its_name(client, trial, panel, name, value):
    name = {"prolific": "PROLIFIC_PID", "framed": "workerId", "invited": "Invitation"}.get(panel, name)
    Trial.objects.update(panel=panel)
    link = {"assignmentId": "a", "turkSubmitTo": "https://panel.example", name: value}
    page = client.get(f"/t/{trial.slug}/", link, follow=True)
    assert (page.status_code, f"“{name}”" in page.content.decode()) == (403, True)
    assert not Participant.objects.exists()


def test_visits_by_a_link_that_was_not_filled_in_are_counted_for_staff(client, staff, trial):
    link = f"/t/{trial.slug}/?participant=%7Bid%7D"
    assert "data-unfilled" in client.get(link).content.decode()  # a scanner: it runs no script
    watch = f"/trials/{trial.slug}/watch/"
    assert "was not filled in" not in staff.get(watch).content.decode()
    for _ in range(2):
        assert client.post(link).status_code == 403
    assert "2 visits came by a link whose id was not filled in" in staff.get(watch).content.decode()
    assert not Participant.objects.exists()


def test_of_a_visit_known_parameters_alone_are_kept_and_a_placeholder_is_named():
    assert read_arrival({"participant": "p", "SESSION_ID": "s", "password": "secret"}).parameters == {"session_id": "s"}
    with pytest.raises(NotLetIn) as refusal:
        read_arrival({"participant": "anna", "SESSION_ID": "{{%SESSION_ID%}}"})
    assert refusal.value.parameter == "SESSION_ID"


@pytest.mark.parametrize("panel", PANELS)
def test_the_link_that_the_desk_prints_has_nothing_that_looks_like_an_id(staff, trial, panel):
    page = staff.get(f"/trials/{trial.slug}/manage/panel/?panel={panel}").content.decode()
    link = re.search(r'readonly value="([^"]*)"', page)[1]
    assert link.endswith((f"/t/{trial.slug}/", "%}}"))  # as it can be sent


SPELT = ("Zo\u00eb 7", "zoe\u0308 7", "ZO\u00cb 7", "zo\u00eb\u200b 7", " zoe\u200d\u0308 \u0667 ", "zo\u00eb \uff17")


@pytest.mark.parametrize("spelt", SPELT)
def test_every_spelling_of_an_id_is_one_person(trial, spelt):
    assert len({digest_of(trial, read_arrival({"participant": one})) for one in (SPELT[0], spelt)}) == 1
    assert qualification("study", spelt) == qualification("study", SPELT[0])


def test_a_person_is_known_in_other_studies_however_the_id_is_spelt(trial, staff):
    other = running_trial(trial.pack, slug="other", replicates=1)
    there = arrive(other, read_arrival({"participant": SPELT[1]}))
    here = arrive(trial, read_arrival({"participant": SPELT[0]}))
    assert other_trials(here) == ["other"]
    assert salted_ids(trial)[here.pk] == salted_ids(other)[there.pk] != SPELT[0]
    assert "Also entered" in staff.get(f"/trials/{trial.slug}/people/{here.code}/").content.decode()
    later = Participant.objects.create(trial=trial, first=here, token="later", code="later")
    assert (other_trials(later), salted_ids(trial)[later.pk]) == (["other"], salted_ids(other)[there.pk])


@pytest.mark.parametrize(
    ("panel", "external_id", "in_the_same_study", "is_same"),
    [
        ("generic", SPELT[1], False, True),
        ("generic", "zoe 7", False, False),
        ("prolific", SPELT[0], False, False),
        ("invited", SPELT[0], False, False),
        ("generic", "", False, False),
        ("generic", SPELT[1], True, True),
    ],
)
def test_two_visits_are_one_persons_by_the_panels_id(trial, panel, external_id, in_the_same_study, is_same):
    other = trial if in_the_same_study else running_trial(trial.pack, slug="other", replicates=1)
    first, second = Arrival("generic", SPELT[0]), Arrival(panel, external_id)
    visits = [
        Identity(trial=study, panel=visit.panel, external_id=visit.external_id, digest=digest_of(study, visit))
        for study, visit in ((trial, first), (other, second))
    ]
    assert same_person(*visits) == same_person(*reversed(visits)) == is_same


def arrive(trial: Trial, arrival: Arrival) -> Participant:
    """A person who agreed."""
    person = newcomer(trial, "person", "en")
    begin(person=person, arrival=arrival, consent=consent_of(trial, "en").consent)
    person.refresh_from_db()
    return person


def test_the_same_person_comes_back_to_the_same_place_also_with_another_visit():
    trial = running_trial()
    first = arrive(trial, read_arrival({"workerId": "w", "assignmentId": "1"}))
    link = {"workerId": "w", "assignmentId": "2"}
    visit = read_arrival(link)
    with pytest.raises(NotLetIn, match="begun"):
        arrive(trial, visit)
    assert who_comes(trial, AtTheDoor(link)) == Comer(visit)  # nobody learns that the id is known
    assert who_comes(trial, AtTheDoor(link, wants_in=True)) == Comer(visit, needs_code=True)
    assert who_comes(trial, AtTheDoor(link, proof=first.token)) == Comer(visit, person=first)
    refresh_visit(participant=first, arrival=visit)
    assert Identity.objects.get().parameters == {"assignmentid": "2"}


def test_the_visit_of_another_id_stays_with_that_id():
    trial = running_trial()
    first = arrive(trial, read_arrival({"workerId": "w", "assignmentId": "1"}))
    link = {"workerId": "v", "assignmentId": "2"}
    visit = read_arrival(link)
    assert who_comes(trial, AtTheDoor(link, proof=first.receipt_code)) == Comer(visit, person=first)
    refresh_visit(participant=first, arrival=visit)
    assert Identity.objects.get().parameters == {"assignmentid": "1"}


def test_a_link_without_an_id_makes_a_new_person_each_time():
    trial = running_trial()
    assert len({arrive(trial, Arrival("generic")).pk for _ in range(2)}) == 2
    assert not Identity.objects.exists()
