"""Studies: of a change that needs several writes all are done or none, and two people at once don't cross."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model

from benchmarks.leasing import lapse
from benchmarks.models import Pack
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
from tests.humantrials.results.test_judgments import full_trial
from tests.two_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(transaction=True)


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


def case(act: Callable[..., object], prepare: Callable[[], Model], **values):
    """This act with what `prepare` makes, read anew for each attempt: a person, a study, a sheet or a pack."""
    return pytest.param(act, prepare, values, id=act.__name__)


def fresh() -> Participant:
    return newcomer(small_trial())


def small_pack() -> Pack:
    return physics_pack(tests=2)


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
    return full_trial(replicates=1, second_round="2")


def finished_sheet() -> Sheet:
    return Sheet.objects.get(given_to=finished())


@pytest.mark.parametrize(
    ("act", "prepare", "values"),
    [
        case(reopen, finished_sheet, why=SheetEventKind.EXCLUDED),
        case(create_trial, small_pack, slug="made", protocol="grasp-plausibility", seed=3),
        case(claim_sheet, fresh),
        case(renew, at_work),
        case(record_judgment, at_work, position=1, answer="no", records={}),
        case(record_judgment, before_the_last_answer, position=1, answer="no", records={}),
        case(stop, before_the_last_answer),
        case(screen_out, at_work),
        case(exclude, before_the_last_answer, why="a test"),
        case(withdraw, finished),
        case(mark_for_repair, before_the_last_answer),
        case(record_follow_up, who_says_how_sure, position=0, posted={"confidence": "3"}),
        case(open_trial, draft),
        case(pause_trial, small_trial),
        case(close_trial, worked_on),
        case(archive_trial, closed),
        case(extend_trial, complete),
        case(draw_second_round, complete),
        case(write, draft, part="consent", language="en", body="I agree."),
    ],
)
def test_a_fault_between_two_writes_leaves_nothing(act, prepare, values):
    made = prepare()
    name, rows = made._meta.model_name, type(made)._base_manager
    assert_all_or_nothing(lambda: act(**{name: rows.get(pk=made.pk)}, **values))


# --- two people, or two tabs of one, at once ---


def test_two_newcomers_at_once_get_two_sheets_and_neither_waits(second_connection):
    first, other = newcomer(trial := small_trial()), newcomer(trial)
    with transaction.atomic():
        sheet = claim_sheet(participant=first)
        second = second_connection.begin(lambda: claim_sheet(participant=other))
        assert second.done()
    assert {sheet, second.result()} == set(trial.sheets.all())


def test_an_answer_sent_twice_at_once_is_stored_once(at_once):
    person = at_work()
    first, second = at_once(lambda: answer(person, 0), lambda: answer(person, 0))
    assert first == second


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
def at_once(second_connection):
    """Do the first and, before it is committed, begin the second on another connection; what both return."""

    def both(first: Callable[[], object], second: Callable[[], object]) -> tuple[Any, Any]:
        with transaction.atomic():
            done, begun = first(), second_connection.begin(second)
        return done, begun.result()

    return both


@pytest.fixture
def late(second_connection) -> Participant:
    """Somebody whose lease has run out, while no other sheet is free."""
    person = at_work()
    at_work(person.trial)
    lapse(Sheet.objects.filter(holder=person))
    return Participant.objects.select_related("sheet").get(pk=person.pk)


def test_who_stops_frees_no_sheet_that_somebody_else_is_taking_over(at_once, late):
    other = consented(late.trial)
    taken, _stopped = at_once(lambda: claim_sheet(participant=other), lambda: stop(participant=late))
    assert taken == late.sheet
    assert Sheet.objects.get(pk=late.sheet_id).holder == other


def test_a_sheet_that_is_reopened_while_it_is_taken_over_gets_the_next_epoch(at_once, late):
    other = consented(late.trial)
    at_once(lambda: claim_sheet(participant=other), lambda: reopen(sheet=late.sheet, why=SheetEventKind.EXCLUDED))
    epochs = list(SheetEvent.objects.filter(sheet=late.sheet_id).order_by("pk").values_list("epoch", flat=True))
    assert epochs == [1, 2, 3]


def test_two_authors_at_once_write_two_versions(at_once):
    written = {"trial": draft(), "part": "consent", "language": "en"}
    _first, second = at_once(lambda: write(**written, body="One."), lambda: write(**written, body="Two."))
    assert (second.version, written["trial"].texts.count()) == (2, 2)


def test_a_second_round_is_drawn_once(at_once):
    trial = complete()
    at_once(lambda: draw_second_round(trial=trial), lambda: draw_second_round(trial=trial))
    assert SecondRound.objects.count() == 1


def test_finishing_and_withdrawing_at_once_leave_no_answer(at_once):
    person = before_the_last_answer()
    at_once(lambda: answer(person, 1), lambda: withdraw(participant=person))
    assert not Judgment.objects.exists()
