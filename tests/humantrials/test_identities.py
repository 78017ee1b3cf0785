"""Identities are in one table only."""

import pytest

from humantrials.assignment.exits import decline, withdraw
from humantrials.identities import digest_of, forget
from humantrials.models import Identity
from humantrials.panels import Arrival, read_arrival
from humantrials.participation.entry import arrive
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
        ({"id": "x" * 999}, "x" * 200),
    ],
)
def test_a_panel_names_people_by_its_own_parameter(parameters, external_id):
    assert read_arrival(parameters).external_id == external_id


def test_only_known_parameters_are_kept_beside_the_id():
    arrival = read_arrival({"participant": "p", "SESSION_ID": "s", "password": "secret"})
    assert arrival.parameters == {"session_id": "s"}


def test_the_same_person_comes_back_to_the_same_place_also_with_another_visit():
    trial = running_trial()
    first = arrive(trial=trial, arrival=read_arrival({"workerId": "w", "assignmentId": "1"}), language="en")
    again = arrive(trial=trial, arrival=read_arrival({"workerId": "w", "assignmentId": "2"}), language="de")
    assert first == again
    assert Identity.objects.count() == 1


def test_a_link_without_an_id_makes_a_new_person_each_time():
    trial = running_trial()
    people = {arrive(trial=trial, arrival=Arrival("generic"), language="en").pk for _ in range(2)}
    assert len(people) == 2
    assert not Identity.objects.exists()


def test_the_digest_needs_the_key_of_this_installation():
    trial, arrival = running_trial(), Arrival("generic", "w")
    assert len(digest_of(trial, arrival)) == 64
    assert digest_of(trial, arrival) == digest_of(trial, arrival)
    assert digest_of(trial, arrival) != digest_of(trial, Arrival("other", "w"))


@pytest.mark.parametrize("leave", [withdraw, decline])
def test_who_leaves_is_forgotten_and_not_asked_again(leave):
    trial, arrival = running_trial(), read_arrival({"participant": "p", "SESSION_ID": "s"})
    person = arrive(trial=trial, arrival=arrival, language="en")
    leave(participant=person)
    identity = Identity.objects.get()
    assert (identity.external_id, identity.parameters) == ("", {})
    assert arrive(trial=trial, arrival=arrival, language="en") == person


def test_forgetting_twice_changes_nothing():
    person = arrive(trial=running_trial(), arrival=Arrival("generic", "w"), language="en")
    forget(participant=person)
    forget(participant=person)
    assert Identity.objects.get().external_id == ""
