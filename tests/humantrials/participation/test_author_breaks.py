"""Breaks that an author sets after a number of items: progress, length, and counted working time."""

from datetime import UTC, datetime, timedelta

import pytest

from humantrials.models import Judgment, Participant, SheetEvent, Trial
from humantrials.planning.between_clips import blocks_of, minutes_of_work
from humantrials.results.analysis_table import event_rows
from humantrials.results.data_set import Source, people_rows
from humantrials.running.monitoring import watch
from tests.humantrials.fixtures import short_trial
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker
from tests.markup import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(db) -> Trial:
    """Two sheets of four clips with a break of at least 30 seconds after two."""
    return short_trial(tests=4, break_every="2", break_seconds="30 to 60")


@pytest.fixture
def resting(client, trial) -> Walker:
    """A participant who has answered two clips."""
    return Walker(client, trial).reach_trials().answer("yes").answer("no")


def begun_before(walker: Walker, seconds: float) -> None:
    """Pretend that the break began so long ago."""
    person = walker.person
    person.checks["break_at"] -= seconds
    person.save()


def test_after_so_many_answers_a_page_says_how_far_one_is_and_when_one_can_go_on(resting):
    assert "Time for a break" in words(resting.page)
    assert "2 of 4 are answered." in words(resting.page)
    assert "You can go on in <span data-seconds>30</span> seconds." in words(resting.page)
    assert "at most 60 seconds count as working time" in words(resting.page)
    fields = resting.reader.fields
    assert resting.press(**fields).reader.step == "break"  # too early
    begun_before(resting, 12)
    assert "<span data-seconds>18</span>" in words(resting.look().page)
    begun_before(resting, 20)
    assert "data-break-left" not in words(resting.look().page)
    assert resting.press(**fields).reader.positions == [2, 3]
    (lasted,) = resting.person.checks["breaks"]
    assert 32 <= lasted < 60
    assert resting.press(**fields).reader.positions == [2, 3]
    resting.answer("yes").answer("yes")  # no break after the last
    assert resting.person.completion_code in words(resting.page)


def test_begin_and_end_are_in_the_event_log(resting, trial):
    begun_before(resting, 40)
    resting.look().look().press(**resting.reader.fields)
    kinds = list(SheetEvent.objects.filter(kind__startswith="break").values_list("kind", flat=True))
    assert kinds == ["break 1 begins", "break 1 ends"]
    assert {row[2] for row in event_rows(trial, Source(trial).names)} >= set(kinds)


def test_a_break_counts_as_work_up_to_its_most_and_in_no_response_time(resting, trial):
    begun_before(resting, 600)
    resting.press(**resting.look().reader.fields).answer("yes").answer("yes")
    now = datetime.now(UTC)
    Participant.objects.update(consented_at=now - timedelta(minutes=20), finished_at=now)
    header, row = people_rows(Source(trial))
    assert row[header.index("minutes")] == pytest.approx(20 - (600 - 60) / 60, abs=0.2)
    assert watch(trial)["pace"].median_minutes == pytest.approx(11, abs=0.2)
    assert not Judgment.objects.filter(seconds__gt=0).exists()


@pytest.mark.parametrize(
    ("breaks", "own", "minutes"),
    [
        ((), {}, 20),
        ((100,), {}, 20),
        ((900, 100), {}, 10),
        ((900,), {"break_seconds": "0 to 0"}, 5),
        ((900,), {"break_seconds": "10 to 3600"}, 20),
    ],
)
def test_the_time_of_work(breaks, own, minutes):
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    assert minutes_of_work(begun, begun + timedelta(minutes=20), {"breaks": list(breaks)}, own) == minutes
    assert minutes_of_work(begun, None, {}, own) is None


@pytest.mark.parametrize(("length", "every", "parts"), [(8, 3, [3, 3, 2]), (7, 3, [3, 4]), (6, 3, [3, 3]), (2, 5, [2])])
def test_a_last_question_alone_has_no_break_before_it(trial, length, every, parts):
    trial.settings = {"break_every": every}
    assert [len(block) for block in blocks_of(trial, [object()] * length)] == parts


def test_simulated_people_need_not_wait(trial):
    assert simulate(trial, people=1)["finished"] == 1
