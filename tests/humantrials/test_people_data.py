"""Personal data: receipts, withdrawal and erasure, deleted ids, exclusion, and a sheet's history."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from humantrials.assignment.claims import claim_sheet, next_sheet
from humantrials.assignment.exits import exclude, withdraw
from humantrials.identities import drop_expired
from humantrials.models import Judgment, Participant, ParticipantState, SheetState, Trial, TrialEvent
from humantrials.models.identity import Identity
from humantrials.running.lifecycle import close_trial
from humantrials.running.monitoring import holdings, moments
from humantrials.tasks import drop_identities
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.humantrials.assignment.test_claims import answer_all, counted, let_leases_run_out
from tests.humantrials.fixtures import consented, newcomer, whole_sheet
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished(walker) -> Walker:
    return walker.reach_trials().answer().answer()


def withdraw_with(code: str, step: str = "", language: str = "en"):
    return Client().post(f"/withdraw/?lang={language}", {"code": code, "step": step})


@pytest.mark.requirement("P12")
def test_the_receipt_is_there_from_the_consent_on_and_stays_the_same(walker):
    receipt = walker.agree().person.receipt_code
    assert receipt in Client().get(f"{walker.road}leave/").content.decode()
    walker.press(step="instructions").practise().answer().answer()
    assert receipt in walker.text


@pytest.mark.requirement("P12")
def test_erasure_by_receipt_reopens_the_sheet_and_marks_the_board_dirty(finished, trial):
    person, before = finished.person, Trial.objects.get().answers_version
    page = withdraw_with(person.receipt_code.lower().replace("-", " "))
    assert "What is stored of you" in page.content.decode()
    assert Judgment.objects.count() == 2
    page = withdraw_with(person.receipt_code, "withdraw").content.decode()
    assert "Your answers are deleted" in page
    assert person.completion_code in page
    assert not Judgment.objects.exists()
    assert set(trial.sheets.values_list("state", flat=True)) == {SheetState.OPEN}
    assert Trial.objects.get().answers_version == before + 1
    assert Walker(Client(), trial).agree().page.status_code == 409  # known again, and not asked again
    assert "Your answers are deleted" in withdraw_with(person.receipt_code, "withdraw").content.decode()


def test_an_erasure_takes_the_row_off_the_board(trial):
    people = [whole_sheet(trial) for _ in range(2)]
    close_trial(trial=trial)
    refresh()
    assert Standing.objects.filter(trial=trial).exists()
    for person in people:
        withdraw(participant=person)
    refresh()
    assert not Standing.objects.filter(trial=trial).exists()


@pytest.mark.requirement("P12")
def test_after_an_erasure_only_what_is_promised_is_kept(finished, trial):
    person = finished.person
    withdraw(participant=person)
    person.refresh_from_db()
    assert (person.sheet, person.step, person.epoch) == (None, "", 0)
    assert (person.state, bool(person.consent_hash)) == (ParticipantState.WITHDRAWN, True)
    identity = Identity.objects.get()
    assert (identity.external_id, identity.parameters) == ("", {})
    assert [one.holder for one in holdings(trial.sheets.get(epoch__gt=0))] == [None]


def test_who_stops_in_the_middle_frees_the_place_and_gets_a_code(walker, trial):
    walker.reach_trials().answer()
    page = walker.press(step="stop").text
    person = walker.person
    assert "You have stopped" in page
    assert person.partial_code in page
    assert (person.partial_code[:11], person.completion_code) == ("PARTIAL-50-", "")
    assert Judgment.objects.filter(is_surplus=True, counts=False).count() == 1
    assert not trial.sheets.exclude(state=SheetState.OPEN).exists()
    assert "You have stopped" in Walker(Client(), trial).press(step="return", code=person.receipt_code).text
    walker.client.post(f"{walker.road}answer/", {"position": "1", "answer": "yes", "seconds": "2"})
    assert Judgment.objects.count() == 1


def test_who_erases_in_the_middle_leaves_with_a_code_too(walker):
    walker.reach_trials().answer()
    page = walker.press(step="withdraw").text
    assert walker.person.partial_code.startswith("WITHDRAWN-")
    assert walker.person.partial_code in page


@pytest.mark.parametrize("code", ["", "AAAAA-AAAAA-AAAAA-AAAAA", "x" * 5000, "\x00", "ß' OR 1=1"])
def test_a_wrong_receipt_opens_nothing(finished, code):
    page = withdraw_with(code, "withdraw")
    assert page.status_code == 404
    assert "letter by letter" in page.content.decode()
    assert Judgment.objects.count() == 2


def test_the_withdrawal_page_needs_no_cookie_and_speaks_the_language_asked_for(client):
    page = client.get("/withdraw/?lang=de")
    assert "Aus einer Studie" in page.content.decode()
    assert not client.cookies
    assert page["Cache-Control"] == "private, no-store"


def test_ids_are_dropped_when_the_time_after_closing_is_over(finished, trial):
    Trial.objects.update(retention_days=30)
    assert drop_expired() == 0  # still open
    close_trial(trial=trial)
    assert drop_expired() == 0
    TrialEvent._base_manager.filter(kind="closed").update(at=timezone.now() - timedelta(days=29))
    assert drop_expired() == 0
    TrialEvent._base_manager.filter(kind="closed").update(at=timezone.now() - timedelta(days=31))
    assert drop_identities() == 1
    assert not Identity.objects.exists()
    assert Judgment.objects.filter(counts=True).count() == 2
    assert drop_identities() == 0
    assert trial.events.filter(kind="ids dropped").count() == 1


@pytest.mark.requirement("P4")
def test_an_exclusion_keeps_its_reason_and_somebody_else_fills_the_sheet(staff, trial):
    walker = Walker(Client(), trial).reach_trials().answer().answer()
    code, sheet = walker.person.code, walker.person.sheet
    address = f"/trials/{trial.slug}/people/{code}/"
    assert staff.post(address, {"why": ""}).status_code == 400
    assert counted(trial) == 2
    assert "is excluded" in staff.post(address, {"why": "always the same answer"}, follow=True).content.decode()
    assert counted(trial) == 0
    event = trial.events.get(kind="excluded")
    assert (event.note, event.by) == (f"{code}: always the same answer", staff.user)
    staff.post(address, {"why": "twice"})
    assert trial.events.filter(kind="excluded").count() == 1
    assert walker.person.completion_code in walker.look().text  # no rejection
    while next_sheet(newcomer(trial)) != sheet:
        claim_sheet(participant=consented(trial))
    Walker(Client(), trial, name="other").reach_trials().answer().answer()
    assert counted(trial) == 2


def test_the_replay_of_a_sheet_tells_who_held_it_when(staff, trial):
    first, second = consented(trial), consented(trial)
    sheet = claim_sheet(participant=first)
    let_leases_run_out(trial)
    claim_sheet(participant=consented(trial))  # takes the other sheet
    assert claim_sheet(participant=second) == sheet
    answer_all(second, sheet)
    exclude(participant=second, why="too fast")
    held = [(one.kind, one.epoch, one.holding and one.holding.holder) for one in moments(sheet)]
    assert held == [("claimed", 1, first), ("taken over", 2, second), ("finished", 2, second), ("excluded", 3, None)]
    assert [(one.holder, one.answers, one.surplus) for one in holdings(sheet)] == [(first, 0, 0), (second, 2, 2)]
    page = staff.get(f"/trials/{trial.slug}/sheets/{sheet.order}/").content.decode()
    assert all(code in page for code in (first.code, second.code))
    assert staff.get(f"/trials/{trial.slug}/sheets/?state=open").status_code == 200
    assert staff.get(f"/trials/{trial.slug}/sheets/99/").status_code == 404


def test_a_lease_has_run_out_on_the_pages_by_the_databases_clock(staff, trial, monkeypatch):
    sheet = claim_sheet(participant=consented(trial))
    wrong = timezone.now() + timedelta(hours=9)
    monkeypatch.setattr(timezone, "now", lambda: wrong)

    def pages() -> list[str]:
        paths = ("sheets/", f"sheets/{sheet.order}/")
        return [staff.get(f"/trials/{trial.slug}/{path}").content.decode() for path in paths]

    assert ["lease run out" in page for page in pages()] == [False, False]
    let_leases_run_out(trial)
    assert ["lease run out" in page for page in pages()] == [True, True]


def test_pages_about_people_show_codes_alone(staff, finished, trial):
    person = finished.person
    for address in ("people/", f"people/{person.code}/", "sheets/", f"sheets/{person.sheet.order}/"):
        page = staff.get(f"/trials/{trial.slug}/{address}").content.decode()
        assert person.code in page
        assert person.token not in page
        assert person.receipt_code not in page
        assert Identity.objects.get().external_id not in page.split("<main")[1].replace("\n", " ").split()
    assert Participant.objects.count() == 1
