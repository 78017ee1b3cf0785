"""The gap beside a model's figure: of the same clips, or none; and no mark in the middle of a rounded figure."""

import pytest

from leaderboard.board.board_row import BoardCell
from leaderboard.board.overviews.model_profile import ProfileLine
from leaderboard.board.strip_points import mark_of

PEOPLE, MODEL = BoardCell(score=0.8), BoardCell(score=0.7)


@pytest.mark.parametrize("are_alike", [True, False])
def test_a_papers_figure_and_one_of_this_site_have_no_gap(are_alike):
    # An upload is drawn hollow, too, and was scored on this site's clips all the same.
    line = ProfileLine("GRASP", "", "/", MODEL, PEOPLE, 0.5, "hollow", "", "", "", are_alike)
    assert (line.gap is not None) == are_alike


def test_a_rounded_figure_is_a_bar_over_its_range():
    mark = mark_of(BoardCell(score=0.7, low=0.6, high=0.8, facts={"step": 0.1}), "")
    assert (mark.is_range, mark.low, mark.high) == (True, pytest.approx(65), pytest.approx(75))
