"""The gap beside a model's figure: of the same clips, or none; and no mark in the middle of a rounded figure."""

import pytest

from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.overviews.model_profile import ProfileLine
from leaderboard.board.overviews.people_and_models import Side
from leaderboard.board.strip_points import mark_of
from leaderboard.row_kinds import RowKind


def side(kind, score):
    cell = BoardCell(score=score)
    return Side(BoardRow("", "", kind, {}, cell), cell)


@pytest.mark.parametrize(("kind", "gap"), [(RowKind.RUN, 0.1), (RowKind.UPLOADED, 0.1), (RowKind.PUBLISHED, None)])
def test_a_papers_figure_and_one_of_this_site_have_no_gap(kind, gap):
    line = ProfileLine("GRASP", "", "/", side(kind, 0.7), side(RowKind.HUMAN, 0.8), 0.5)
    assert line.gap == (gap and pytest.approx(gap))


def test_a_rounded_figure_is_a_bar_over_its_range():
    mark = mark_of(BoardCell(score=0.7, low=0.6, high=0.8, facts={"step": 0.1}), "")
    assert (mark.is_range, mark.low, mark.high) == (True, pytest.approx(65), pytest.approx(75))
