"""From clips to accepted questions with simulated people, and the effects when somebody leaves."""

import os

import pytest
from django.urls import reverse

from extensions.annotation.models import CandidateOrigin, CandidateState, Stage, TaskAnswer, WrittenQuestion
from extensions.annotation.work.outcomes import outcome_of, verdict
from extensions.annotation.work.sittings import go_on, may_go_on, sheets_for
from extensions.annotation.work.verification import facts_of
from humantrials.assignment.claims import claim_sheet
from humantrials.assignment.exits import exclude, withdraw
from humantrials.errors import BadSetting
from humantrials.models import Participant, ParticipantKind, ParticipantState, SheetState
from humantrials.running.lifecycle import create_trial
from humantrials.running.payments import lines, owed
from humantrials.running.verification import verify
from tests.extensions.annotation.finished_trial import settled_trial
from tests.extensions.annotation.fixtures import annotation_trial, material_pack, reach, worker_of
from tests.humantrials.inside_crowd import simulate

pytestmark = pytest.mark.django_db
CLIPS = int(os.environ.get("ANNOTATION_CLIPS", "16"))  # `make soak PART=annotation` takes forty


@pytest.fixture
def made(db):
    """A trial of eight clips with people who make no mistakes: every split has a pair."""
    trial = annotation_trial(8)
    simulate(trial, accuracy=1.0)
    return trial


@pytest.fixture
def walked(db):
    """A trial with occasionally careless people in every stage, with qualification rounds."""
    trial = annotation_trial(CLIPS, qualification=True, writers=4)
    happened = simulate(trial, accuracy=0.9, dropout=0.05, late=0.05, doubled=0.2)
    assert (happened["full"], happened["lost"], happened["late"] > 0) == (True, 0, True)
    trial.refresh_from_db()
    return trial


def test_clips_become_accepted_questions_and_every_promise_is_kept(walked):
    report = verify(walked)
    assert report.broken == []
    assert report.facts["filled"] == report.facts["slots"]
    assert walked.is_simulated
    accepted = walked.candidates.filter(state=CandidateState.ACCEPTED)
    assert accepted.filter(origin=CandidateOrigin.ASSIGNED).count() > 3 * CLIPS
    assert accepted.filter(origin=CandidateOrigin.WRITTEN).exists()
    assert {one.label for one in accepted} == {0, 1}
    every_stage_happened(walked)


def every_stage_happened(trial):
    """Check that work of each kind was done, and that something was dropped for each possible reason."""
    assert {stage for stage, done in by(trial.tasks, "stage", "answers__counts") if done} == set(Stage.values)
    assert by(trial.rounds, "stage", "number") == {("questions", 1), ("answers", 1), ("answers", 2)}
    assert {state for (state,) in by(trial.objects_found, "state")} == {"kept", "dropped"}
    assert {reason for (reason,) in by(trial.candidates, "reason")} >= {"", "disagreement", "irrelevant"}
    assert {split for (split,) in by(trial.pairs, "split")} == {"train", "val", "test"}
    assert trial.tasks.filter(stage=Stage.ANSWERS, answers__counts=True).exclude(attention="").exists()


def by(rows, *columns):
    return set(rows.order_by().values_list(*columns))


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ((["wood"], 3), (["wood"], 4), ("kept", "")),
        ((["wood"], 3), (["metal"], 3), ("kept", "")),
        ((["wood"], 5), (["wood", "metal"], 2), ("kept", "")),
        ((["wood", "metal"], 3), (["metal", "wood"], 3), ("dropped", "no-change")),
        ((["wood"], 4), (["wood"], 3), ("dropped", "no-change")),
    ],
)
def test_a_clip_is_kept_where_sound_changed_something(first, second, outcome):
    said = [dict(zip(("materials", "confidence"), one, strict=True)) for one in (first, second)]
    assert outcome_of({"box": {}, "sight": said[0], "sound": said[1]}) == outcome
    assert outcome_of({"box": {}, "flag": "silent"}) == ("dropped", "silent")


SAYS = {"choice": "1", "bad": False}


@pytest.mark.parametrize(
    ("answers", "checks", "outcome"),
    [
        ([], [], (None, "waiting", "")),
        ([SAYS], [], (1, "checking", "")),
        ([SAYS], [SAYS], (1, "checking", "")),
        ([SAYS], [SAYS, SAYS], (1, "accepted", "")),
        ([SAYS], [SAYS, SAYS | {"choice": "0"}], (1, "dropped", "disagreement")),
        ([SAYS], [SAYS | {"bad": True}], (1, "dropped", "flagged")),
        ([SAYS | {"choice": "irrelevant"}], [], (None, "dropped", "irrelevant")),
        ([SAYS | {"bad": True}], [], (None, "dropped", "bad-question")),
    ],
)
def test_three_must_agree_and_what_is_dropped_has_its_reason(answers, checks, outcome):
    assigned = settled_trial().candidates.filter(origin=CandidateOrigin.ASSIGNED)
    one = assigned.select_related("pair", "question").first()
    assert verdict(one, {Stage.ANSWERS: answers, Stage.CHECKS: checks}) == outcome


def test_who_misses_two_instructions_is_out_and_paid_and_their_slots_are_filled_again(client):
    trial = annotation_trial(16)
    reach(trial, Stage.ANSWERS)
    happened = simulate(trial, people=1, seed=2, accuracy=1.0, careless=1.0)
    out = trial.participants.filter(state=ParticipantState.EXCLUDED)
    assert happened["let_go"] == out.count() == 1
    assert verify(trial).broken == []
    simulate(trial, seed=3, accuracy=1.0)
    for person in out:
        answers = person.task_answers
        assert answers.filter(missed_attention=True).count() == 2
        assert not answers.filter(counts=True).exists()
        assert person.partial_code
        page = client.get(reverse("road", args=[person.token])).content.decode()
        assert "Twice a line told you what to tick" in page
        assert person.partial_code in page
    assert verify(trial).broken == []
    assert not trial.sheets.exclude(state=SheetState.DONE).exists()
    trial.pay_amount = 10
    out.update(kind=ParticipantKind.PERSON)  # simulated people are owed nothing
    assert all(line.recommended.amount > 0 for line in lines(trial, owed(trial)))


@pytest.mark.parametrize("stage", Stage.values)
def test_a_withdrawal_erases_in_every_stage_and_the_work_is_done_again(made, stage):
    person = worker_of(made, stage)
    sheet, tasks = person.sheet, list(person.sheet.tasks.all())
    withdraw(participant=person)
    sheet.refresh_from_db()
    assert sheet.state == SheetState.OPEN
    assert not TaskAnswer.objects.filter(participant=person).exists()
    assert not WrittenQuestion.objects.filter(source__participant=person).exists()
    assert verify(made).broken == []
    if stage == Stage.OBJECTS:
        assert all(task.object.state == "waiting" and task.object.box is None for task in tasks)
    simulate(made, people=30, seed=2, accuracy=1.0)
    assert verify(made).broken == []
    assert not made.sheets.exclude(state=SheetState.DONE).exists()


def test_an_exclusion_takes_what_was_accepted_back(made):
    one = made.candidates.filter(state=CandidateState.ACCEPTED, origin=CandidateOrigin.ASSIGNED).first()
    person = made.tasks.get(stage=Stage.ANSWERS, pair=one.pair).answers.get(counts=True).participant
    exclude(participant=person, why="was in a hurry")
    one.refresh_from_db()
    assert (one.state, one.label) == (CandidateState.WAITING, None)


def test_another_sheet_has_no_pair_that_the_person_had_and_splits_are_those_of_the_seed(made):
    for person in made.participants.filter(state=ParticipantState.FINISHED):
        met = set(person.sheet.tasks.filter(pair__isnull=False).values_list("pair", flat=True))
        again = Participant(trial=made, first=person)
        free = sheets_for(again, made.sheets.exclude(pk=person.sheet_id))
        assert not met.intersection(free.values_list("tasks__pair", flat=True))
    facts = facts_of(made)
    assert {pair.split for pair in facts.pairs} == {"train", "val", "test"}
    assert any(pair.is_for_writers for pair in facts.pairs)


def test_who_has_finished_may_take_another_sheet_that_is_free(made):
    """The same person gets another code under the same consent; two presses give one sitting."""
    finder = worker_of(made, Stage.OBJECTS)
    assert not may_go_on(finder)  # everything is done
    withdraw(participant=worker_of(made, Stage.CHECKS))
    again = go_on(participant=finder)
    assert (again.first, again.state, again.code != finder.code) == (finder, ParticipantState.CONSENTED, True)
    assert go_on(participant=finder) == again
    sheet = claim_sheet(participant=again)
    assert sheet.tasks.first().stage == Stage.CHECKS
    exclude(participant=again, why="enough")
    assert not may_go_on(finder)


@pytest.mark.parametrize("name", ["per_test", "replicates", "split", "qualified", "seal"])
def test_settings_that_mean_nothing_here_are_refused(name):
    with pytest.raises(BadSetting, match=name):
        create_trial(slug="odd", protocol="pacs-annotation", pack=material_pack(3), settings={name: "1"})
