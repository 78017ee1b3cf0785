"""What people and judges answered becomes numbers; what is no step is counted beside them."""

import numpy as np
import pytest

from benchmarks.definitions.rated_dimensions import dimension_of
from extensions.generated.models import ClipSetState
from extensions.generated.scores.answers import answers_of
from extensions.generated.scores.board import RoundBoard, counts_of
from extensions.generated.scores.columns import columns_of
from extensions.generated.scores.rated_rows import Scale
from humantrials.models import TrialState
from humantrials.results.release import Wait
from tests.extensions.generated.scores.rounds import (
    judge_compares,
    judge_says,
    made_pack,
    made_pairs,
    made_round,
    made_set,
    made_triples,
    people_say,
)

pytestmark = pytest.mark.django_db
STEPS = {"good": "5", "bad": "2"}


@pytest.fixture
def pack():
    return made_pack()


@pytest.fixture
def sets(pack):
    return [made_set(pack, "good"), made_set(pack, "bad")]


@pytest.fixture
def found(pack, sets):
    return made_round(pack, sets)


def by_set(clips, names, person):
    if not names:
        return "none" if clips[0].clip_set.slug == "good" else "break=1.5 kind=vanishes severity=2"
    return " ".join(f"{name}={STEPS[clips[0].clip_set.slug]}" for name in names)


def read(found):
    return answers_of(found)


def board(found, name="PC", **more):
    answers = read(found)
    columns = columns_of(found.pack, has_breaks=True)
    return RoundBoard(answers, next(column for column in columns if column.name == name), **more)


def figure(found, row, name="PC", slug="people"):
    return board(found, name).figures[slug][row]


def test_ratings_of_people_become_means_of_rows(found):
    people_say(found, by_set)
    assert [figure(found, row).value for row in (0, 1)] == [5.0, 2.0]
    assert figure(found, 0, "SA").counts.n == 24


def test_three_clips_beside_each_other_are_rated_by_themselves(pack, sets):
    found = made_round(pack, [])
    made_triples(found, [sets[1], sets[0], made_set(pack, "odd")])
    people_say(
        found,
        lambda clips, names, person: " ".join(
            f"{name}={'/'.join(STEPS.get(clip.clip_set.slug, 'na') for clip in clips)}" for name in names
        ),
    )
    assert [figure(found, row).value for row in (0, 1)] == [5.0, 2.0]
    people = read(found).people
    counts = counts_of(read(found).found, people.answers, columns_of(pack)[0])
    assert [(one.n, one.cant_tell, one.unread, one.missing) for one in counts] == [(24, 0, 0, 0)] * 2 + [(0, 24, 0, 0)]


def test_what_is_no_step_is_counted_and_never_scored(found):
    def say(clips, names, person):
        if clips[0].prompt.key == "prompt-0" and person == 0:
            return None
        if clips[0].prompt.key == "prompt-1" and person < 2:
            return " ".join(f"{name}=na" for name in names) or "na"
        return by_set(clips, names, person)

    people_say(found, say)
    counts = figure(found, 1).counts
    assert (counts.n, counts.cant_tell, counts.unread, counts.missing) == (21, 2, 0, 1)
    assert counts.left_out == "2 can’t tell, 1 missing"
    assert figure(found, 1).value == 2.0
    assert figure(found, 1, "failing").value == 1.0


@pytest.mark.parametrize(("study", "wait"), [({"state": TrialState.OPEN}, Wait.CLOSE), ({"people": 4}, Wait.PEOPLE)])
def test_open_study_or_one_of_few_people_is_not_shown_and_says_what_it_waits_for(found, study, wait):
    people_say(found, by_set, **study)
    assert (read(found).people, read(found).waits) == (None, (wait,))


def test_simulated_people_have_a_column_of_their_own(found):
    people_say(found, by_set)
    people_say(found, lambda *asked: by_set(*asked).replace("5", "1"), is_simulated=True, state=TrialState.OPEN)
    assert [(one.slug, one.is_simulated) for one in read(found).answerers] == [
        ("people", False),
        ("simulated-people", True),
    ]
    assert figure(found, 0).value == 5.0
    assert figure(found, 0, slug="simulated-people").value == 1.0


def test_withdrawn_set_leaves_the_round(found, sets):
    people_say(found, by_set)
    sets[0].state = ClipSetState.WITHDRAWN
    sets[0].save()
    shown = board(found)
    assert [line.row.slug for line in shown.ranked] == ["bad"]
    assert shown.ranked[0].figures[0].value == 2.0


def test_judge_is_read_dimension_by_dimension(found):
    judge_says(found, lambda clip, name: "4" if name == "PC" else "1")
    assert figure(found, 0, "PC", "judge").value == 4.0
    assert figure(found, 0, "SA", "judge").value == 1.0


@pytest.mark.parametrize(("reply", "cant_tell"), [("na", 1), (None, 0), ("4 of 5", 0), ("6", 0), ("no", 0), ("4.5", 0)])
def test_reply_that_is_no_step_is_unread_and_one_who_cant_tell_is_no_zero(found, reply, cant_tell):
    judge_says(found, lambda clip, name: reply if clip.prompt.key == "prompt-0" else "3")
    counts = figure(found, 0, slug="judge").counts
    assert (counts.n, counts.cant_tell, counts.unread, counts.missing) == (3, cant_tell, 1 - cant_tell, 0)
    assert figure(found, 0, slug="judge").value == 3.0


def test_later_runs_test_the_first_one(found):
    model = judge_says(found, lambda clip, name: "4")
    judge_says(found, lambda clip, name: "1", model=model)
    (judge,) = read(found).judges
    assert set(judge.answers.values) == {4.0}
    assert [set(each.values) for each in judge.again] == [{1.0}]


def test_other_way_of_asking_is_another_judge(found):
    model = judge_says(found, lambda clip, name: "4")
    judge_says(found, lambda clip, name: "1", model=model, sampler="uniform-16")
    assert [(one.slug, one.title) for one in read(found).judges] == [
        ("judge", "Judge"),
        ("judge-2", "Judge, uniform-16"),
    ]


def test_run_that_is_not_listed_is_no_judge(found):
    judge_says(found, lambda clip, name: "4", listing="private")
    assert read(found).judges == []


def test_marks_and_their_kinds_are_kept(found):
    people_say(found, by_set)
    marks = read(found).people.answers.marks
    assert {(mark.seconds, mark.kind, mark.severity) for mark in marks} == {(1.5, "vanishes", 2)}
    assert len(marks) == 24
    assert [figure(found, row, "failing").value for row in (0, 1)] == [0.0, 1.0]
    assert figure(found, 1, "severity").value == 2.0
    assert 0 not in board(found, "severity").figures["people"]


def test_pairs_are_votes_with_the_first_place_first(found, sets):
    made_pairs(found, *sets)
    model = judge_says(found, lambda clip, name: "4")
    judge_compares(found, lambda first, second: "a", model)
    ballots = read(found).judges[0].answers.ballots
    assert ballots.table.generators == ("Good", "Bad")
    assert ballots.table.votes.share.tolist() == [1.0] * 8
    assert (ballots.compared, ballots.flips) == (4, 4)


def test_order_of_rows_in_the_database_does_not_matter(found):
    people_say(found, by_set)
    answers = read(found)
    assert np.isnan(answers.people.answers.values).sum() == 0
    assert [count.n for count in counts_of(answers.found, answers.people.answers, board(found).column)] == [24, 24]


@pytest.mark.parametrize(
    ("table", "numbers", "top"),
    [
        ({"anchors": ["a", "b", "c", "d", "e"]}, [1, 2, 3, 4, 5], 4),
        ({"anchors": ["a", "b", "c", "d"], "first": 0}, [0, 1, 2, 3], 3),
        ({"anchors": ["a", "b"], "values": ["no", "yes"]}, [0, 1], 1),
        ({"anchors": list("abcdefg")}, [1, 2, 3, 4, 5, 6, 7], 6),
        ({"anchors": ["a", "b", "c"], "values": ["1", "3", "9"]}, [0, 1, 2], 2),
    ],
)
def test_steps_of_scales_as_numbers(table, numbers, top):
    scale = Scale(dimension_of({"name": "x", "question": "?", **table}))
    assert list(scale.steps.values()) == numbers
    assert scale.top == top
