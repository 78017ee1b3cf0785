"""The answer on the home page claims no more than its figures allow, and the chart has their blocks."""

from dataclasses import replace

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.claims import Lead
from leaderboard.board.overviews.people_and_models import (
    MOST,
    Side,
    Skill,
    answer_to,
    blocks_of,
    default_boards,
    key_of_strips,
    skills_of,
)
from leaderboard.board.query import AvailablePacks, view_of
from leaderboard.board.strip_points import key_of_mark
from leaderboard.row_kinds import RowKind

BOARD = Board(None, (), (), (), (), 0.5, shares_ranks=False)  # type: ignore[arg-type]  # nobody asks for its view


def side(kind, score, **facts):
    cell = BoardCell(score=score, n=20, low=score - 0.1, high=score + 0.1)
    return Side(BoardRow(kind, kind, RowKind(kind), {}, cell, **facts), cell)


def skill(gap=None, *, is_clear=True, is_reported=False, people="human", model="run", **facts):
    own = side(people, 0.5 + (gap or 0.0)) if people else None
    best = side(model, 0.5, **facts) if model else None
    lead = None if gap is None else Lead(gap, is_clear and gap != 0)
    return Skill(None, "Gravity", 0.5, own, best, lead, is_reported)


ALL_REPORTED = [skill(0.14, is_reported=True), skill(0.39, is_reported=True)]


@pytest.mark.parametrize(
    ("skills", "answer"),
    [
        ([], "Not known yet: no model tested yet."),
        ([skill(model="")], "Not known yet: no model tested yet."),
        ([skill(is_baseline=True)], "Not known yet: no model tested yet."),
        ([skill(people="")], "Not known yet: no people have answered the questions yet."),
        ([skill(people="simulated")], "Not known yet: no people have answered the questions yet."),
        ([skill()], "Not known yet: no people and no model have answered the same questions."),
        (ALL_REPORTED, "Not yet: in papers, people lead the best model by 14 to 39 points on all two skills."),
        (ALL_REPORTED[:1], "Not yet: in papers, people lead the best model by 14 points on the one skill."),
        (
            [*ALL_REPORTED, skill(0.2)],
            "Not yet: people lead the best model by 14 to 39 points on all three skills scored for both.",
        ),
        (
            [skill(0.2), skill(0.1, is_clear=False)],
            "Not yet: people lead the best model by 20 points on one of two skills scored for both; they are no"
            " different on one.",
        ),
        (
            [skill(0.2), skill(-0.1), skill(0.3)],
            "In part: people lead the best model by 20 to 30 points on two of three skills scored for both; the best"
            " model leads people by 10 points on one.",
        ),
        ([skill(-0.1)], "In part: the best model leads people by 10 points on one of one skill scored for both."),
        (
            [skill(0.1, is_clear=False), skill(0.0)],
            "Not known yet: people are no different from the best model on the two skills scored for both.",
        ),
    ],
)
def test_the_answer_claims_what_stands_and_no_more(skills, answer):
    assert answer_to(skills) == answer


def test_blocks_sort_by_gap_and_leave_out_what_does_not_fit():
    few = blocks_of([skill(0.1), skill(0.3), skill(0.2, is_reported=True), skill(people="")])
    assert [(one.is_reported, [each.gap for each in one.skills]) for one in few] == [(True, [0.2]), (False, [0.3, 0.1])]
    assert [one.more for one in blocks_of([skill(0.1)] * (MOST + 2))] == [2]
    # models without people stand alone only where nothing has both; a baseline alone is nothing to show
    assert [len(one.skills) for one in blocks_of([skill(people="")])] == [1]
    assert blocks_of([skill(people="", is_baseline=True)]) == []
    [block] = blocks_of([skill(people="simulated", is_baseline=True)])
    assert block.note == "simulated people, a baseline"
    words = ["simulated people", "baseline, measured here", "95 % interval"]
    assert [text for _, text in key_of_strips(block.looks)] == words
    assert [text for _, text in key_of_strips(block.looks, has_chance=True)] == [*words, "chance"]
    assert key_of_strips(set(), has_chance=True) == []
    larger = skill(0.2)
    larger = replace(larger, model=replace(larger.model, cell=replace(larger.model.cell, n=40)))
    assert [one.note for one in blocks_of([skill(0.1), larger])] == ["20 to 40 questions per skill"]
    assert (
        blocks_of([skill(0.1, is_reported=True)])[0].note
        == "best model per skill; intervals where the paper prints one"
    )


def test_a_side_prints_whole_per_cent_or_its_range_and_is_drawn_by_its_kind():
    row = BoardRow("x", "X", RowKind.RUN, {}, None)
    cells = [BoardCell(score=0.725), BoardCell(score=0.7, facts={"step": 0.1}), BoardCell()]
    assert [Side(row, cell).figure for cell in cells] == ["72", "65–75", "0"]
    kinds = {"human": "people", "simulated": "people sim", "run": "model", "uploaded": "model hollow"}
    assert {kind: key_of_mark(replace(row, kind=RowKind(kind))) for kind in kinds} == kinds
    assert key_of_mark(replace(row, is_baseline=True)) == "model base"
    assert [skill(gap).gap_text for gap in (None, 0.262, -0.1)] == ["–", "+26", "−10"]


def test_a_paper_that_prints_overlapping_intervals_makes_no_claim():
    people, model = (side("published", score) for score in (0.6, 0.5))
    rows = (replace(people.row, of_people=True), replace(model.row, key="m", name="M"))
    view = view_of(BENCHMARKS["pacs"], {}, AvailablePacks(packs=()))
    found = replace(BOARD, published=rows, view=view)
    [one] = skills_of([found])
    assert (one.is_reported, round(one.gap, 2), one.lead.stands) == (True, 0.1, False)
    exact = tuple(replace(row, overall=replace(row.overall, low=None, high=None)) for row in rows)
    assert [one.lead.stands for one in skills_of([replace(found, published=exact)])] == [True]


@pytest.mark.django_db
def test_the_papers_six_skills():
    skills = skills_of(default_boards())
    assert sorted((one.title, one.gap_text) for one in skills) == [
        ("Cause", "+28"),
        ("Counterfactual", "+16"),
        ("Descriptive", "+39"),
        ("Enable", "+14"),
        ("PACS", "+26"),
        ("Prevent", "+23"),
    ]
