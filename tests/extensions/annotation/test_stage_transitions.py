"""A stage without sheets says what it waits for, or what staff must do."""

import pytest
from django.urls import reverse

from benchmarks.models import Pack
from extensions.annotation.models import ObjectState, QuestionState, Stage
from extensions.annotation.work.monitoring import stage_lines
from extensions.annotation.work.stage_transitions import AGAIN, open_writing, wait_of
from humantrials.models import SheetState
from humantrials.running.lifecycle import create_trial, mark_simulated
from humantrials.simulation.participant import Habits
from tests.extensions.annotation.finished_trial import settled_trial
from tests.extensions.annotation.fixtures import annotation_trial, material_pack
from tests.humantrials.inside_crowd import InsideCrowd

pytestmark = pytest.mark.django_db


def one_kept(trial):
    trial.objects_found.filter(number__gt=0).update(state=ObjectState.DROPPED)


def one_waits(trial):
    trial.objects_found.filter(number=0).update(state=ObjectState.WAITING)


def not_written(trial):
    trial.tasks.get().answers.update(counts=False)


def not_looked_at(trial):
    trial.questions_written.filter(number__gt=0).update(state=QuestionState.WAITING)


def refused(trial):
    trial.questions_written.update(state=QuestionState.BAD)


def only_writers(trial):
    trial.pairs.update(is_for_writers=True)


@pytest.mark.parametrize(
    ("stage", "change", "wait"),
    [
        (Stage.QUESTIONS, one_waits, "opens by itself after 1 more clip"),
        (Stage.QUESTIONS, one_kept, f"can't open: a pair needs 2 kept clips, there is 1. {AGAIN}"),
        (Stage.ANSWERS, not_written, "opens by itself after 1 more answer in the stage before it"),
        (Stage.ANSWERS, not_looked_at, "opens when you have looked at 2 questions"),
        (Stage.ANSWERS, refused, f"can't open: no question was taken that its pairs could be asked. {AGAIN}"),
        (Stage.ANSWERS, only_writers, "is left out: every pair had its own writers"),
    ],
)
def test_a_stage_says_what_it_waits_for_or_what_to_do(stage, change, wait):
    trial = settled_trial()
    change(trial)
    assert wait_of(trial, stage) == wait


def test_the_desk_shows_it_for_each_stage_that_is_not_open(admin_client):
    trial = annotation_trial(12)
    waits = [line["wait"] for line in stage_lines(trial)]
    assert waits == [
        "",
        "opens by itself after 12 more clips",
        "opens after the stage before it",
        "opens by itself when 10 pairs have first answers, or the stages before it are over",
    ]
    page = admin_client.get(reverse("annotation", args=[trial.slug])).content.decode()
    assert all(wait in page for wait in waits)


def drawn(pack: Pack, slug: str, salt: str) -> list[list]:
    """The order of the clips and the pairs that a study of this salt draws, each with its side, split and writers."""
    trial = create_trial(slug=slug, protocol="pacs-annotation", pack=pack, seed=1, salt=salt)
    clips = list(trial.objects_found.order_by("number").values_list("clip", flat=True))
    trial.objects_found.update(state=ObjectState.KEPT)
    open_writing(trial)
    tasks = trial.tasks.order_by("sheet__order", "position").values_list("object__clip", "pair__number")
    return [clips, list(trial.pairs.values_list("first__clip", "second__clip", "split", "is_for_writers")), list(tasks)]


def test_the_salt_decides_what_is_drawn_and_the_same_one_draws_it_again(db):
    pack = material_pack(12)
    first, other, again = drawn(pack, "a", "a5"), drawn(pack, "b", "5a"), drawn(pack, "c", "a5")
    assert again == first
    assert all(one != theirs for one, theirs in zip(first, other, strict=True))


def test_simulated_people_who_qualified_go_home_when_nothing_is_left(db, monkeypatch):
    trial = annotation_trial(4)
    mark_simulated(trial=trial)
    crowd = InsideCrowd(trial, "http://testserver", 9, 1, Habits())
    waits = crowd._newcomer()
    monkeypatch.setattr(type(waits), "take_part", lambda self, *_: setattr(self, "outcome", "waiting"))
    monkeypatch.setattr(type(waits), "come_back", lambda self, *_: None)
    crowd._let(waits)
    assert [person for _, person in crowd.away] == [waits]
    trial.sheets.update(state=SheetState.DONE)
    crowd._let(crowd.away.popleft()[1])
    assert (waits.outcome, list(crowd.away), crowd._next()) == ("turned away", [], None)
