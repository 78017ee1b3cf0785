"""Problems of real studies, without a browser: wrong clocks, lost connections, double presses, returns."""

import csv
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from humantrials.assignment.claims import claim_sheet, finish_sheet, record_judgment, reopen
from humantrials.models import Judgment, Participant, SheetEventKind, SheetState
from humantrials.results.exports import write_export
from humantrials.results.judgments import votes, votes_of
from tests.humantrials.assignment.test_claims import answer_all, counted
from tests.humantrials.fixtures import consented, newcomer, whole_sheet
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("P3")
@pytest.mark.parametrize("hours", [-30, 30])
def test_a_web_process_with_a_wrong_clock_takes_nobody_s_sheet(trial, monkeypatch, hours):
    holders = [consented(trial) for _ in range(2)]
    sheets = [claim_sheet(participant=person) for person in holders]
    wrong = timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(timezone, "now", lambda: wrong)
    assert claim_sheet(participant=newcomer(trial)) is None
    answer_all(holders[0], sheets[0])
    finish_sheet(participant=holders[0])
    assert counted(trial) == 2


@pytest.mark.requirement("P1")
def test_every_press_of_the_road_may_come_twice(walker, trial):
    digest = walker.reader.fields["digest"]
    for fields in (
        {"step": "consent", "choice": "yes", "digest": digest},
        {"step": "instructions"},
        {"step": "practised", "answer": "yes"},
        {"step": "practice"},
    ):
        walker.press(**fields).press(**fields)
    for position in (0, 0, 1, 1):
        walker.post_answer(position)
    agreed = walker.person.consented_at
    first, again = walker.look().person, walker.look().person
    assert (first.completion_code, first.receipt_code) == (again.completion_code, again.receipt_code)
    assert again.consented_at == agreed
    assert Judgment.objects.filter(counts=True).count() == 2
    assert trial.sheets.filter(state=SheetState.DONE).count() == 1
    assert list(walker.person.sheet.events.values_list("kind", flat=True)) == ["claimed", "finished"]
    trial.refresh_from_db()
    assert trial.answers_version == 1


def test_an_old_consent_sent_again_after_the_end_changes_nothing(walker):
    digest = walker.reader.fields["digest"]
    walker.reach_trials().answer().answer()
    before = walker.person
    walker.press(step="consent", choice="yes", digest=digest).press(step="consent", choice="no").press(step="stop")
    after = walker.person
    assert (after.state, after.receipt_code, after.step) == (before.state, before.receipt_code, before.step)


@pytest.mark.requirement("P3")
def test_who_is_returned_by_the_panel_while_typing_ends_in_surplus_with_a_code(walker, trial):
    walker.reach_trials().answer()
    sheet = walker.person.sheet
    reopen(sheet=sheet, why=SheetEventKind.SENT_BACK)
    successor = consented(trial)
    while claim_sheet(participant=successor) != sheet:
        successor = consented(trial)
    page = walker.answer().text
    assert walker.person.completion_code in page
    assert set(walker.person.judgments.values_list("counts", "is_surplus")) == {(False, True)}
    answer_all(successor, sheet)
    finish_sheet(participant=successor)
    assert counted(trial) == 2


def test_the_one_after_the_last_hears_it_and_gets_the_place_that_is_freed(trial):
    holders = [newcomer(trial) for _ in range(2)]
    assert all(claim_sheet(participant=person) for person in holders)
    late = Walker(Client(), trial, name="late")
    assert "All places are taken" in late.text
    assert late.reader.step == ""
    Walker(Client(), trial, name="later")
    reopen(sheet=trial.sheets.first(), why=SheetEventKind.SENT_BACK)
    assert late.look().reader.step == "consent"  # the same person, at the same address


@pytest.mark.usefixtures("one_window")
def test_a_flood_of_newcomers_is_asked_to_wait_and_whoever_is_known_goes_on(walker, trial, monkeypatch):
    monkeypatch.setattr("humantrials.participation.door.NEWCOMERS_A_MINUTE", 1)
    walker.agree()
    page = Walker(Client(), trial, "one too many").agree().page
    assert page.status_code == 429
    assert "try again in a minute" in page.content.decode()
    assert Walker(Client(), trial).press(step="return", code=walker.person.receipt_code).road == walker.road
    assert Participant.objects.count() == 1


def test_votes_computed_from_the_export_are_those_of_the_site(trial, tmp_path):
    whole_sheet(trial)
    whole_sheet(trial, lambda slot: "no")
    write_export(trial, "csv", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["counts"] in ("1", "True")]
    ids = dict(trial.slots.values_list("item__public_id", "item_id"))
    again = votes_of([(ids[row["item"]], row["answer"]) for row in rows], sorted(ids.values()))
    assert {vote.item_id: vote for vote in again} == {vote.item_id: vote for vote in votes(trial)}
    assert len(rows) == 4


def test_a_database_that_goes_away_in_the_middle_of_a_finish_leaves_nothing_half_done(trial):
    person = consented(trial)
    claim_sheet(participant=person)
    record_judgment(participant=person, position=0, answer="yes", records={})
    lost = OperationalError("server closed the connection unexpectedly")
    with patch("humantrials.assignment.claims.answers_changed", side_effect=lost), pytest.raises(OperationalError):
        record_judgment(participant=person, position=1, answer="yes", records={})
    assert counted(trial) == 0
    assert person.judgments.count() == 1  # the browser sends the last one again
    assert not Participant.objects.get(pk=person.pk).completion_code
    assert trial.sheets.filter(state=SheetState.LEASED).count() == 1
    record_judgment(participant=person, position=1, answer="yes", records={})
    assert Participant.objects.get(pk=person.pk).completion_code
    assert counted(trial) == 2
