"""The gap beside a model's figure: of the same clips, or none."""

import pytest

from leaderboard.board.board_row import BoardCell
from leaderboard.board.overviews.model_profile import REPORTED, ProfileLine

PEOPLE, MODEL = BoardCell(score=0.8), BoardCell(score=0.7)


@pytest.mark.parametrize(
    ("people_look", "model_look", "is_there"),
    [("", "", True), ("", "base", True), (REPORTED, REPORTED, True), (REPORTED, "base", False), ("", REPORTED, False)],
)
def test_a_papers_figure_and_one_of_this_site_have_no_gap(people_look, model_look, is_there):
    line = ProfileLine("GRASP", "", "/", MODEL, PEOPLE, 0.5, model_look, people_look, "", "")
    assert (line.gap is not None) == is_there
