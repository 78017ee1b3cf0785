"""Studies: of a change that needs several writes all are done or none, and two people at once don't cross."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from humantrials.assignment.claims import claim_sheet, record_judgment, renew, reopen
from humantrials.assignment.exits import exclude, mark_for_repair, screen_out, stop, withdraw
from humantrials.models import (
    Judgment,
    Participant,
    SecondRound,
    Sheet,
    SheetEvent,
    SheetEventKind,
    SheetState,
    Trial,
    TrialState,
)
from humantrials.planning.authored_texts import write
from humantrials.planning.between_clips import record_follow_up
from humantrials.planning.second_round import draw_second_round
from humantrials.running.lifecycle import (
    archive_trial,
    close_trial,
    create_trial,
    extend_trial,
    open_trial,
    pause_trial,
)
from tests.humantrials.fixtures import consented, newcomer, physics_pack, running_trial
from tests.humantrials.results.test_judgments import everybody_answers, right
from tests.two_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(transaction=True)
Act = Callable[[], object]


def small_trial(**settings) -> Trial:
    """Two sheets of two clips."""
    return running_trial(physics_pack(tests=2), replicates=1, **settings)


def at_work(trial: Trial | None = None) -> Participant:
    """Somebody who has agreed and holds a sheet."""
    person = consented(trial or small_trial())
    claim_sheet(participant=person)
    return person


def answer(person: Participant, *positions: int) -> Judgment:
    for position in positions:
        judgment = record_judgment(participant=person, position=position, answer="yes", records={})
    return judgment


def of_person(act: Callable[..., object], person: Callable[[], Participant] = at_work, **values) -> Callable[[], Act]:
    """A case: this act of a person."""

    def prepared() -> Act:
        participant = person()
        return lambda: act(participant=participant, **values)

    prepared.__name__ = act.__name__
    return prepared


def of_trial(act: Callable[..., object], trial: Callable[[], Trial] = small_trial, **values) -> Callable[[], Act]:
    """A case: this act on a study."""

    def prepared() -> Act:
        pk = trial().pk
        return lambda: act(trial=Trial.objects.get(pk=pk), **values)

    prepared.__name__ = act.__name__
    return prepared


def fresh() -> Participant:
    return newcomer(small_trial())


def before_the_last_answer() -> Participant:
    person = at_work()
    answer(person, 0)
    return person


def who_says_how_sure() -> Participant:
    person = at_work(small_trial(confidence="5"))
    answer(person, 0)
    return person


def finished() -> Participant:
    person = before_the_last_answer()
    answer(person, 1)
    return Participant.objects.get()


def draft() -> Trial:
    return create_trial(slug="draft", protocol="grasp-plausibility", pack=physics_pack(tests=2), seed=3)


def worked_on() -> Trial:
    return at_work().trial


def closed() -> Trial:
    close_trial(trial=(trial := small_trial()))
    return trial


def complete() -> Trial:
    """A study whose first round is finished."""
    trial = running_trial(physics_pack(tests=2), replicates=1, second_round="2")
    everybody_answers(trial, right)
    return trial


def reopening() -> Act:
    sheet = finished().sheet
    assert sheet
    return lambda: reopen(sheet=sheet, why=SheetEventKind.EXCLUDED)


def making() -> Act:
    pack = physics_pack(tests=2)
    return lambda: create_trial(slug="made", protocol="grasp-plausibility", pack=pack, seed=3)


@pytest.mark.parametrize(
    "prepared",
    [
        *(reopening, making),
        of_person(claim_sheet, fresh),
        of_person(renew),
        of_person(record_judgment, position=1, answer="no", records={}),
        of_person(record_judgment, before_the_last_answer, position=1, answer="no", records={}),
        of_person(stop, before_the_last_answer),
        of_person(screen_out),
        of_person(exclude, before_the_last_answer, why="a test"),
        of_person(withdraw, finished),
        of_person(mark_for_repair, before_the_last_answer),
        of_person(record_follow_up, who_says_how_sure, position=0, posted={"confidence": "3"}),
        of_trial(open_trial, draft),
        of_trial(pause_trial),
        of_trial(close_trial, worked_on),
        of_trial(archive_trial, closed),
        of_trial(extend_trial, complete),
        of_trial(draw_second_round, complete),
        of_trial(write, draft, part="consent", language="en", body="I agree."),
    ],
    ids=lambda prepared: prepared.__name__,
)
def test_a_fault_between_two_writes_leaves_nothing(prepared):
    assert_all_or_nothing(prepared())


# --- two people, or two tabs of one, at once ---


def let_the_lease_run_out(person: Participant) -> None:
    Sheet.objects.filter(holder=person).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_two_newcomers_at_once_get_two_sheets_and_neither_waits(second_connection):
    first, other = newcomer(trial := small_trial()), newcomer(trial)
    with transaction.atomic():
        sheet = claim_sheet(participant=first)
        second = second_connection.begin(lambda: claim_sheet(participant=other))
        assert second.done()
    assert {sheet, second.result()} == set(trial.sheets.all())


def test_an_answer_sent_twice_at_once_is_stored_once(second_connection):
    person = at_work()
    with transaction.atomic():
        first = answer(person, 0)
        second = second_connection.begin(lambda: answer(person, 0))
    assert second.result() == first


def test_a_last_answer_and_the_closing_of_the_study_do_not_block_each_other(second_connection):
    person = before_the_last_answer()
    with transaction.atomic():
        Sheet.objects.select_for_update().get(holder=person)
        second = second_connection.begin(lambda: close_trial(trial=person.trial))
        answer(person, 1)
    second.result()
    assert (Trial.objects.get().state, Judgment.objects.filter(counts=True).count()) == (TrialState.CLOSED, 2)
    assert Sheet.objects.get(pk=Participant.objects.get().sheet_id).state == SheetState.DONE


@pytest.fixture
def late(second_connection) -> Participant:
    """Somebody whose lease has run out, while no other sheet is free."""
    person = at_work()
    at_work(person.trial)
    let_the_lease_run_out(person)
    return Participant.objects.select_related("sheet").get(pk=person.pk)


def test_who_stops_frees_no_sheet_that_somebody_else_is_taking_over(second_connection, late):
    other = consented(late.trial)
    with transaction.atomic():
        assert claim_sheet(participant=other) == late.sheet
        second = second_connection.begin(lambda: stop(participant=late))
    second.result()
    assert Sheet.objects.get(pk=late.sheet_id).holder == other


def test_a_sheet_that_is_reopened_while_it_is_taken_over_gets_the_next_epoch(second_connection, late):
    other = consented(late.trial)
    with transaction.atomic():
        claim_sheet(participant=other)
        second = second_connection.begin(lambda: reopen(sheet=late.sheet, why=SheetEventKind.EXCLUDED))
    second.result()
    epochs = list(SheetEvent.objects.filter(sheet=late.sheet_id).order_by("pk").values_list("epoch", flat=True))
    assert epochs == [1, 2, 3]


def test_two_authors_at_once_write_two_versions(second_connection):
    trial = draft()
    with transaction.atomic():
        write(trial=trial, part="consent", language="en", body="One.")
        second = second_connection.begin(lambda: write(trial=trial, part="consent", language="en", body="Two."))
    assert (second.result().version, trial.texts.count()) == (2, 2)


def test_a_second_round_is_drawn_once(second_connection):
    trial = complete()
    with transaction.atomic():
        draw_second_round(trial=trial)
        second = second_connection.begin(lambda: draw_second_round(trial=trial))
    second.result()
    assert SecondRound.objects.count() == 1


def test_finishing_and_withdrawing_at_once_leave_no_answer(second_connection):
    person = before_the_last_answer()
    with transaction.atomic():
        answer(person, 1)
        second = second_connection.begin(lambda: withdraw(participant=person))
    second.result()
    assert not Judgment.objects.exists()
