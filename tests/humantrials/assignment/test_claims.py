"""Exactly one counted judgment a slot, whatever people do."""

import pytest

from benchmarks.leasing import lapse
from humantrials.assignment.claims import claim_sheet, finish_sheet, record_judgment, renew, reopen
from humantrials.assignment.exits import exclude, stop, withdraw
from humantrials.assignment.sheets import note
from humantrials.errors import BadAnswer
from humantrials.models import Participant, Sheet, SheetEvent, SheetEventKind, SheetState, Trial
from humantrials.running.lifecycle import close_trial, pause_trial
from tests.humantrials.fixtures import consented, newcomer, physics_pack, running_trial, whole_sheet

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(db) -> Trial:
    """One test, one item, two replicates: two sheets of one slot; with two tests each sheet has two slots."""
    return running_trial(physics_pack(tests=2, clips=1), replicates=1)


def answer_all(person: Participant, sheet: Sheet, answer: str = "yes") -> None:
    for slot in sheet.slots.all():
        record_judgment(participant=person, position=slot.position, answer=answer, records={})


def let_leases_run_out(trial: Trial) -> None:
    lapse(trial.sheets.all())


def counted(trial: Trial) -> int:
    return trial.judgments.filter(counts=True).count()


def test_everybody_gets_one_sheet_of_their_own_until_the_trial_is_full(trial):
    person = newcomer(trial)
    sheet = claim_sheet(participant=person)
    assert claim_sheet(participant=newcomer(trial)) != sheet
    assert claim_sheet(participant=newcomer(trial)) is None
    assert claim_sheet(participant=person) == sheet
    assert SheetEvent.objects.count() == 2


def test_judgments_count_from_the_last_answer_on_and_not_before(trial):
    person = consented(trial)
    claim_sheet(participant=person)
    record_judgment(participant=person, position=0, answer="yes", records={})
    with pytest.raises(BadAnswer, match="1 answers are still missing"):
        finish_sheet(participant=person)
    assert counted(trial) == 0
    record_judgment(participant=person, position=1, answer="yes", records={})
    assert counted(trial) == 2
    person.refresh_from_db()
    assert person.has_finished
    assert person.completion_code
    assert person.receipt_code


def test_finishing_twice_changes_nothing(trial):
    person = whole_sheet(trial)
    first, again = finish_sheet(participant=person), finish_sheet(participant=person)
    assert first.completion_code == again.completion_code
    trial.refresh_from_db()
    assert trial.answers_version == 1
    assert claim_sheet(participant=again) is None  # never a second sheet


@pytest.mark.parametrize(
    ("somebody", "position", "answer", "what"),
    [
        (consented, 9, "yes", "not one of yours"),
        (consented, 0, "maybe", "not one of the answers"),
        (newcomer, 0, "yes", "you have not begun"),
    ],
)
def test_a_strange_answer_is_refused_and_one_before_the_steps_that_lead_to_it(trial, somebody, position, answer, what):
    person = somebody(trial)
    claim_sheet(participant=person)
    with pytest.raises(BadAnswer, match=what):
        record_judgment(participant=person, position=position, answer=answer, records={})


def test_an_expired_sheet_goes_on_when_nobody_else_wants_it(trial):
    person = consented(trial)
    sheet = claim_sheet(participant=person)
    let_leases_run_out(trial)
    answer_all(person, sheet)
    assert counted(trial) == 2


@pytest.fixture
def zombie(trial):
    """A participant who answered once and disappeared; somebody else holds the sheet now."""
    person, other = consented(trial), newcomer(trial)
    claim_sheet(participant=other)
    person.own_sheet = claim_sheet(participant=person)
    record_judgment(participant=person, position=0, answer="yes", records={})
    let_leases_run_out(trial)
    claim_sheet(participant=other)
    person.successor = consented(trial)
    assert claim_sheet(participant=person.successor) == person.own_sheet
    return person


@pytest.mark.requirement("P3")
def test_late_work_is_surplus_and_the_successor_counts(trial, zombie):
    assert claim_sheet(participant=zombie) == zombie.own_sheet
    assert (renew(participant=zombie), trial.participants.get(beats=1)) == (False, zombie)
    answer_all(zombie, zombie.own_sheet, "no")
    assert finish_sheet(participant=zombie).completion_code
    answer_all(zombie.successor, zombie.own_sheet)
    assert set(zombie.judgments.values_list("counts", "is_surplus")) == {(False, True)}
    assert set(zombie.successor.judgments.values_list("counts", "is_surplus")) == {(True, False)}


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_lost_sheet_that_is_free_again_counts_with_the_last_answer(trial, zombie, comes_back):
    let_leases_run_out(trial)
    if comes_back:
        assert claim_sheet(participant=zombie) == zombie.own_sheet
    record_judgment(participant=zombie, position=1, answer="yes", records={})
    assert set(zombie.judgments.values_list("counts", "is_surplus")) == {(True, False)}
    assert zombie.own_sheet.events.last().kind == "finished"


def test_the_last_answer_to_a_lost_sheet_gives_a_code_and_stays_surplus(trial, zombie):
    record_judgment(participant=zombie, position=1, answer="yes", records={})
    assert set(zombie.judgments.values_list("counts", "is_surplus")) == {(False, True)}
    assert Participant.objects.get(pk=zombie.pk).completion_code
    assert Sheet.objects.get(pk=zombie.own_sheet.pk).holder == zombie.successor


def test_a_person_without_answers_who_lost_a_sheet_gets_a_free_one_first(trial):
    person, others = consented(trial), [newcomer(trial) for _ in range(2)]
    sheet = claim_sheet(participant=person)
    let_leases_run_out(trial)
    assert all(claim_sheet(participant=other) for other in others)
    assert claim_sheet(participant=person) == sheet  # to finish as surplus: they agreed
    stop(participant=others[1])
    assert claim_sheet(participant=person) == Sheet.objects.get(holder=person)


@pytest.mark.parametrize("change", ["full", pause_trial, close_trial])
def test_whoever_agreed_finishes_and_has_a_code(trial, change):
    person = consented(trial)
    sheet = claim_sheet(participant=person)
    if change == "full":
        let_leases_run_out(trial)
        assert all(claim_sheet(participant=consented(trial)) for _ in range(2))
    else:
        change(trial=trial)
    assert claim_sheet(participant=newcomer(trial)) is None
    assert claim_sheet(participant=person) == sheet
    answer_all(person, sheet)
    assert Participant.objects.get(pk=person.pk).completion_code
    assert counted(trial) == (2 if change == pause_trial else 0)


@pytest.mark.parametrize(("leave", "left"), [(exclude, 2), (withdraw, 0)])
def test_who_is_excluded_or_withdraws_makes_room(trial, leave, left):
    person = whole_sheet(trial)
    leave(participant=person)
    sheet = trial.sheets.get(pk=person.sheet_id)
    trial.refresh_from_db()
    assert (sheet.state, counted(trial), person.judgments.count()) == (SheetState.OPEN, 0, left)
    assert trial.answers_version == 2


def test_a_sheet_reopened_by_hand_is_wanted_again(trial):
    sheet = whole_sheet(trial).sheet
    reopen(sheet=sheet, why=SheetEventKind.SENT_BACK)
    assert counted(trial) == 0
    successor = consented(trial)
    assert claim_sheet(participant=successor) == sheet
    answer_all(successor, sheet)
    assert counted(trial) == 2


def test_events_tell_the_life_of_a_sheet_and_nothing_about_people(trial, zombie):
    assert list(zombie.own_sheet.events.values_list("kind", "epoch")) == [("claimed", 1), ("taken over", 2)]
    assert {field.name for field in SheetEvent._meta.get_fields()} == {"id", "sheet", "epoch", "kind", "at"}


@pytest.mark.parametrize("kind", SheetEventKind)
def test_every_kind_of_event_has_room(trial, kind):
    note(trial.sheets.first(), 1, kind, 99_999)
    stored = SheetEvent.objects.get().kind
    assert stored == kind.replace("{}", "99999")
    assert len(stored) <= SheetEvent._meta.get_field("kind").max_length
