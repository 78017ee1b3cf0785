"""Referees' replies are parsed as points or not at all: a corpus of replies, and properties of any reply."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluation.referees.parse import verdict_of
from evaluation.referees.rubrics import RUBRICS, Rubric

CORPUS = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "referee_replies.jsonl").open(encoding="utf-8")
]
GIRAFFE = sorted(name for name in RUBRICS if name.startswith("giraffe-"))


def points_in(raw: str, rubric: Rubric) -> list[float]:
    scores = verdict_of(raw, rubric).scores
    return [round(scores[each.name] * each.highest, 6) for each in rubric.dimensions] if scores else []


def is_read_right(case: dict[str, Any]) -> bool:
    rubric = RUBRICS[f"giraffe-{case['rubric']}"]
    verdict = verdict_of(case["reply"], rubric)
    if "points" in case:
        return verdict.problem == "" and points_in(case["reply"], rubric) == case["points"]
    return verdict.scores == {} and case["problem"] in verdict.problem


def test_a_reply_is_read_as_it_is_meant_or_not_at_all():
    wrong = [str(case) for case in CORPUS if not is_read_right(case)]
    assert not wrong, "\n".join(wrong)


def test_the_corpus_is_large_and_has_every_rubric_and_each_reply_once():
    assert len(CORPUS) >= 120
    assert len({(case["rubric"], case["reply"]) for case in CORPUS}) == len(CORPUS)
    assert {f"giraffe-{case['rubric']}" for case in CORPUS} == set(GIRAFFE)
    assert sum("problem" in case for case in CORPUS) >= 40


rubrics = st.sampled_from([RUBRICS[name] for name in GIRAFFE])
MORSELS = (
    "Accuracy", "LogicalConsistency", "Logical Consistency", "Specificity", "Plausibility", "Diversity", "score",
    "score:", ":", "=", "[", "]", "(", ")", "/5", "/10", "out of 5", "reason:", "\n", " ", ".", ",", "-", "|", "{", "}",
    '"', "**", "0", "1", "3", "4", "4.5", "7:40", "or", "to", "and a half", "1.", "2.", "true", "null", "<think>",
    "</think>", "%", "½",
)  # fmt: skip
anything = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(MORSELS), max_size=60).map("".join))


@given(anything, rubrics)
def test_nothing_raises_and_all_dimensions_have_a_score_or_none(raw, rubric):
    verdict = verdict_of(raw, rubric)
    if verdict.scores:
        assert verdict.problem == ""
        assert list(verdict.scores) == [each.name for each in rubric.dimensions]
        assert all(0 <= value <= 1 for value in verdict.scores.values())
    else:
        assert verdict.problem


@given(anything, rubrics)
def test_no_score_comes_from_nowhere(raw, rubric):
    """A score is a number in the reply, or one of the six number words."""
    words = ("zero", "one", "two", "three", "four", "five")
    for points in points_in(raw, rubric):
        is_word = points.is_integer() and points <= 5 and words[int(points)] in raw.lower()
        assert f"{points:g}" in raw or is_word


REASONS = st.text(alphabet="abcdefghij 0123456789,'<>", max_size=40)
FORMS = (
    "{number}. {label}: score: {points}. reason: {reason}\n",
    "**{label}**: {points}/{highest} - reason {reason}\n",
    "{label}: score: [{points}]. reason: [{reason}].\n\n",
    "### {label}\nReason: {reason}\nScore: {points}\n",
    "| {label} | {points} | reason {reason} |\n",
    "- {label}: {points}\n",
)


@st.composite
def known_replies(draw):
    """A rubric, points on its dimensions, and a reply with exactly these in one of the forms, in any order."""
    rubric, form = draw(rubrics), draw(st.sampled_from(FORMS))
    points = [draw(st.integers(0, each.highest)) for each in rubric.dimensions]
    lines = [
        form.format(number=number, label=each.label, points=given, highest=each.highest, reason=draw(REASONS))
        for number, (each, given) in enumerate(zip(rubric.dimensions, points, strict=True), start=1)
    ]
    return rubric, points, draw(st.permutations(lines))


@given(known_replies())
def test_points_are_read_in_every_form_and_order_whatever_the_reasons_say(known):
    rubric, points, lines = known
    assert points_in("".join(lines), rubric) == points


@given(known_replies(), st.data())
def test_a_dimension_that_is_left_out_leaves_all_unscored(known, data):
    rubric, _, lines = known
    gone = data.draw(st.integers(0, len(lines) - 1))
    assert verdict_of("".join(lines[:gone] + lines[gone + 1 :]), rubric).scores == {}


@given(known_replies(), st.data())
def test_a_second_score_that_differs_leaves_all_unscored(known, data):
    rubric, points, lines = known
    place = data.draw(st.integers(0, len(points) - 1))
    dimension = rubric.dimensions[place]
    other = data.draw(st.integers(0, dimension.highest).filter(lambda value: value != points[place]))
    again = f"\n{dimension.label}: score: {other}\n"
    raw = data.draw(st.sampled_from([again + "".join(lines), "".join(lines) + again]))
    assert "several scores" in verdict_of(raw, rubric).problem


@given(
    known_replies(), st.sampled_from(["-4", " or 4", " to 4", "/10", "½", "%", ",5", "+", " and a half 4"]), st.data()
)
def test_a_number_that_can_be_taken_in_two_ways_leaves_all_unscored(known, tail, data):
    rubric, points, lines = known
    place = data.draw(st.integers(0, len(points) - 1))
    again = f"{rubric.dimensions[place].label}: score: {points[place]}{tail}\n"
    assert verdict_of("".join(lines) + again, rubric).scores == {}


def test_a_very_long_reply_is_read_in_no_time():
    """Long runs of blanks, dashes and names are parsed in less than quadratic time."""
    rubric = RUBRICS["giraffe-sgae"]
    for part in ("\n", " ", "-", "1. ", "Accuracy: ", "| ", "score: ", '{"', "[{", "<think>", "*", "4"):
        assert verdict_of(part * 20_000, rubric).scores == {}
