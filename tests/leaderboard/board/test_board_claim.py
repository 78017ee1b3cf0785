"""The sentence under a board's title, from its rows alone."""

from dataclasses import replace

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow
from leaderboard.board.overviews.board_claim import answer_of, unprinted_line
from leaderboard.board.query import AvailablePacks, view_of
from leaderboard.row_kinds import RowKind
from leaderboard.standings.paired_differences import Distance

VIEW = view_of(BENCHMARKS["grasp"], {"level": "2"}, AvailablePacks())
TESTS = ("Gravity", "Collision", "Inertia")


def row(name, kind="run", score=0.7, *, ahead=None, p=0.001, tests=None, **facts):
    """A row with this score; `ahead` of people on twelve questions, `tests` are its scores and p-values by test."""
    cells = {
        test: BoardCell(score=one, n=90, low=one - 0.1, high=one + 0.1, p=by_chance)
        for test, (one, by_chance) in (tests or {}).items()
    }
    distance = None if ahead is None else Distance(ahead, ahead - 0.1, ahead + 0.1, 12, p, "")
    whole = None if score is None else BoardCell(score=score, n=90, low=score - 0.1, high=score + 0.1)
    return BoardRow(name, name, RowKind(kind), cells, whole, distance=distance, **facts)


def board_of(*rows, **facts):
    def of(*kinds):
        return tuple(one for one in rows if one.kind in kinds)

    columns = tuple(BoardColumn(test, test, chance=0.5) for test in TESTS)
    people, models = of("human", "simulated"), of("run", "uploaded")
    return Board(VIEW, columns, people, models, of("published"), 0.5, shares_ranks=False, **facts)


PEOPLE, WEAK = row("People", "human", 0.9), row("Weak", score=0.4, ahead=-0.5)
PAPERS = row("Readers", "published", 0.8, of_people=True, citation="P"), row("Old", "published", 0.5, citation="P")
OTHERS = row("New", "published", 0.6, citation="Q")
BEATS = {"Gravity": (0.9, 0.0001), "Collision": (0.9, 0.0001), "Inertia": (0.5, 0.9)}


LED = "the only model evaluated here, A"
OF_A = "Only model evaluated here: A, 70.0 % (60–80); chance 50 %."


def printed(score, low, high):
    return [PAPERS[0], replace(PAPERS[1], overall=BoardCell(score=score, low=low, high=high))]


@pytest.mark.parametrize(
    ("rows", "answer", "more"),
    [
        ([], "Chance 50 %; no model tested yet.", ""),
        # people and a model on the same questions, by the test that is corrected for all rows
        (
            [PEOPLE, row("A", ahead=-0.2), WEAK],
            "People lead the best model evaluated here, A, by 20.0 points on 12 shared questions.",
            "",
        ),
        ([PEOPLE, row("A", ahead=0.2)], f"T{LED[1:]}, leads people by 20.0 points on 12 shared questions.", ""),
        ([PEOPLE, row("A", ahead=0.2, p=0.2)], f"People are no different from {LED}, on 12 shared questions.", ""),
        # one paper's people and model, where the intervals that it prints do not overlap
        ([*PAPERS, OTHERS], "In the paper, people lead the only model reported, Old, by 30.0 points.", ""),
        (printed(0.99, 0.95, 1.0), "In the paper, the only model reported, Old, leads people by 19.0 points.", ""),
        (printed(0.75, 0.65, 0.85), "In the paper, people are no different from the only model reported, Old.", ""),
        # figures that can't be compared
        (
            [PAPERS[0], OTHERS],
            "People (reported): 80.0 % (70–90); only model reported: New, 60.0 % (50–70); chance 50 %.",
            "",
        ),
        (
            [replace(PAPERS[0], overall=BoardCell(published_text="about 80")), PAPERS[1]],
            "People (reported): about 80 %; only model reported: Old, 50.0 % (40–60); chance 50 %.",
            "",
        ),
        (
            [PEOPLE, row("A"), row("B"), row("C", score=0.6)],
            "People: 90.0 % (80–100); best model evaluated here: A and 1 more, 70.0 % (60–80); chance 50 %.",
            "",
        ),
        ([row("Yes", is_baseline=True)], "Chance 50 %; no model tested yet.", ""),
        # tests against chance
        (
            [row("A", tests=BEATS), row("B", score=0.6)],
            "Best model evaluated here: A, 70.0 % (60–80); chance 50 %.",
            "A beats chance on two of three tests: Gravity and Collision.",
        ),
        ([row("A", tests=BEATS | {"Inertia": (0.8, 1e-4)})], OF_A, "A beats chance on three of three tests."),
        (
            [row("A", tests=dict.fromkeys(TESTS, (0.55, 0.3)))],
            OF_A,
            "A is no different from chance on any of three tests.",
        ),
        (
            [row("A", tests={"Gravity": (0.1, 1e-4), "Collision": (0.9, 1e-4)})],
            OF_A,
            "A beats chance on one of two tests: Collision.",
        ),
        (
            [row("No", score=0.6, is_baseline=True), row("Yes", is_baseline=True, tests=BEATS)],
            "Chance 50 %; no model tested yet.",
            "The best baseline, Yes, beats chance on two of three tests: Gravity and Collision.",
        ),
    ],
)
def test_the_sentence_claims_what_its_rows_allow(rows, answer, more):
    found = answer_of(board_of(*rows))
    assert (found.answer, found.more) == (answer, more)


def test_other_figures_than_scores_claim_nothing():
    board = board_of(PEOPLE, row("A", ahead=-0.2))
    other = answer_of(replace(board, view=replace(VIEW, columns="yes")))
    assert (other.answer, other.more) == ("", str(VIEW.level.about))


def test_models_without_printed_figures_are_counted():
    assert [unprinted_line(count) for count in (0, 1)] == ["", "1 model: the paper reports no numbers for this level."]
    assert unprinted_line(2, of_level=False) == "2 models: no numbers reported in this grouping."
