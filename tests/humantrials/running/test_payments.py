"""Pay: recommended with a reason, approved by staff, once per kind; nobody is rejected."""

from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from humantrials.assignment.exits import exclude
from humantrials.errors import AlreadyPaid
from humantrials.models import ParticipantState, PayEntry, Trial
from humantrials.running.payments import approve, lines, owed, recommend
from tests.humantrials.assignment.test_claims import let_leases_run_out
from tests.humantrials.fixtures import altered
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(trial) -> Trial:
    return altered(trial, pay_amount=Decimal("3.00"), pay_currency="EUR")


def work(state: str, *, has_finished=False, answers=0, counted=0, **more) -> SimpleNamespace:
    rest = {"finished_at": has_finished or None, "repair_at": None, "working": 0, "sent_rounds": 0} | more
    return SimpleNamespace(state=state, answers=answers, wanted=16, counted=counted, **rest)


WHOLE = {"has_finished": True, "answers": 16}


@pytest.mark.requirement("P10")
@pytest.mark.parametrize(
    ("done", "amount", "reason"),
    [
        (work("finished", **WHOLE, counted=16), "3.00", "finished"),
        (work("finished", **WHOLE), "3.00", "finished; no answer counts, which takes nothing from the pay"),
        (work("excluded", **WHOLE), "3.00", "takes nothing from the pay"),
        (work("withdrawn", has_finished=True), "3.00", "the work was done"),
        (work("stopped", answers=5), "0.94", "answered 5 of 16"),
        (work("consented", answers=1), "0.19", "answered 1 of 16"),
        (work("excluded", answers=8), "1.50", "answered 8 of 16"),
        (work("consented"), "0", "answered nothing"),
        (work("withdrawn"), None, "withdrew before the end; the number of answers is erased"),  # a person decides
        (work("screened"), None, "screened out by the quiz, after reading the instructions"),
        (work("consented", answers=9, repair_at=1), None, "9 of 16 answers arrived: marked for repair"),
        (work("consented", answers=9, working=1), None, "at work now"),
        (work("consented", sent_rounds=1), None, "sent 1 qualification round, and no sheet"),
        (work("screened", sent_rounds=2), None, "sent 2 qualification rounds, and no sheet (not let in)"),
        (work("consented", sent_rounds=1, working=1), None, "at work now"),
        (work("stopped", sent_rounds=1, answers=5), "0.94", "answered 5 of 16"),
    ],
)
def test_what_is_recommended_follows_the_work_and_never_the_answers(done, amount, reason):
    found = recommend(done, Decimal("3.00"))
    assert found.amount == (amount and Decimal(amount))
    assert found.reason.endswith(reason)


def finisher(trial: Trial, name: str = "w") -> Walker:
    return Walker(Client(), trial, name=name).reach_trials().answer().answer()


def test_a_person_is_paid_once_of_each_kind(staff, trial):
    person = finisher(trial).person
    address = f"/trials/{trial.slug}/pay/{person.code}/"
    assert staff.post(address, {"kind": "base", "amount": "3.00", "reason": "finished"}).status_code == 302
    page = staff.post(address, {"kind": "base", "amount": "3.00", "reason": "again"})
    assert page.status_code == 400
    assert "has its base pay already" in page.content.decode()
    assert staff.post(address, {"kind": "bonus", "amount": "0.50", "reason": "careful"}).status_code == 302
    assert list(PayEntry.objects.values_list("kind", "amount")) == [("base", Decimal(3)), ("bonus", Decimal("0.5"))]
    with pytest.raises(AlreadyPaid):
        approve(participant=person, kind="bonus", amount=Decimal(1), reason="more", by=staff.user)


@pytest.mark.parametrize(
    "fields", [*({"amount": amount} for amount in ("-0.01", "0.001", "1000000", "x")), {"reason": ""}, {"kind": "fine"}]
)
def test_a_strange_entry_is_refused_at_its_field(staff, trial, fields):
    person = finisher(trial).person
    good = {"kind": "base", "amount": "1", "reason": "a reason"}
    assert staff.post(f"/trials/{trial.slug}/pay/{person.code}/", {**good, **fields}).status_code == 400
    assert not PayEntry.objects.exists()


def test_all_that_is_recommended_is_approved_after_a_second_press_and_once(staff, trial):
    finisher(trial, "a")
    exclude(participant=finisher(trial, "b").person, why="a test")
    Walker(Client(), trial, name="c").reach_trials().answer()
    Walker(Client(), trial, name="d")  # never agreed
    address = f"/trials/{trial.slug}/pay/approve/"
    assert "6.00 EUR" in staff.get(address).content.decode()  # people still at work are not paid yet
    let_leases_run_out(trial)
    assert "7.50 EUR" in staff.get(address).content.decode()
    assert not PayEntry.objects.exists()
    assert "3 approved as recommended" in staff.post(address, follow=True).content.decode()
    assert sum(PayEntry.objects.values_list("amount", flat=True)) == Decimal("7.50")
    assert "0 approved" in staff.post(address, follow=True).content.decode()
    assert [line.is_due for line in lines(trial, owed(trial))] == [False] * 3
    assert trial.events.get(kind="pay approved").note == "3 as recommended"


def test_the_amount_is_set_with_its_currency_until_somebody_is_paid(staff, trial):
    address = f"/trials/{trial.slug}/pay/"
    assert staff.post(address, {"pay_amount": "", "pay_currency": ""}).status_code == 302
    assert staff.post(address, {"pay_amount": "4", "pay_currency": ""}).status_code == 400
    refused = staff.post(address, {"pay_amount": "4", "pay_currency": "euro"})
    assert (refused.status_code, "An amount needs" in refused.content.decode()) == (400, False)  # there is one
    page = staff.post(address, {"pay_amount": "4", "pay_currency": "USD"}, follow=True)
    assert "worth 4 USD" in page.content.decode()
    finisher(trial)
    staff.post(f"{address}approve/")
    staff.post(address, {"pay_amount": "1", "pay_currency": "USD"})
    trial.refresh_from_db()
    assert trial.pay_amount == Decimal(4)


def test_the_list_with_panel_ids_is_for_those_who_may_see_them_and_is_logged(staff, author, trial):
    person = finisher(trial, "=panel-id").person
    staff.post(f"/trials/{trial.slug}/pay/approve/")
    author.user.user_permissions.add(Permission.objects.get(codename="change_trial"))
    address = f"/trials/{trial.slug}/pay/list.csv"
    assert author.get(address).status_code == 403
    assert "panel-id" not in author.get(f"/trials/{trial.slug}/pay/").content.decode()
    rows = staff.get(address).content.decode().splitlines()
    assert rows[1].startswith(f"'=panel-id,{person.code},{person.completion_code},base,3.00,EUR,finished,")
    assert trial.events.get(kind="pay list").by == staff.user


def test_simulated_people_are_owed_nothing(trial):
    finisher(trial)
    trial.participants.update(kind="simulated")
    assert lines(trial, owed(trial)) == []
    assert ParticipantState.FINISHED in trial.participants.values_list("state", flat=True)
