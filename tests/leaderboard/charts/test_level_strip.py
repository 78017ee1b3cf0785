"""The strip of a level: one axis from 0 to 100, with every mark at its place."""

import pytest

from leaderboard.board.overviews.level_results import all_levels
from leaderboard.charts.level_strip import NEAR, WHISKERS, _stacked, strip_of
from leaderboard.standings.refresh import refresh
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db


def marks(drawing, look):
    return [mark for mark in drawing.points if mark.look == look]


def test_what_papers_report_is_hollow_and_stands_at_its_figure():
    drawing = strip_of(all_levels()["craft"][0])
    assert [mark.x for mark in marks(drawing, "point human hollow")] == [80.37]
    assert sorted(mark.x for mark in marks(drawing, "point model hollow"))[-1] == 53.01
    assert len(marks(drawing, "point model hollow")) == 10
    assert {line.x1 for line in drawing.lines if line.look == "base"} == {42.03, 37.47, 30.72, 5.24}
    assert not marks(drawing, "point model")


def test_chance_is_a_line_only_where_there_is_one():
    craft, pacs = (strip_of(all_levels()[slug][0]) for slug in ("craft", "pacs"))
    assert [line.x1 for line in pacs.lines if line.look == "guess"] == [50.0]
    assert not [line for line in craft.lines if line.look == "guess"]
    assert "chance 50" in {label.text for label in pacs.labels}


def test_the_gap_runs_from_the_best_model_to_people_and_says_its_width():
    drawing = strip_of(all_levels()["craft"][0])
    gap = next(line for line in drawing.lines if line.look == "gap")
    assert (gap.x1, gap.x2) == (53.01, 80.37)
    assert "27.4 points" in {label.text for label in drawing.labels}


def test_models_evaluated_here_are_filled_with_intervals_and_people_are_filled(study, physics):
    for number in range(WHISKERS + 2):
        model = make_model(name=f"Model {number}", kind="transformers")
        answer_all(make_run(physics, strategy="plausibility", model=model), lambda item: "yes")
    refresh()
    drawing = strip_of(all_levels()["grasp"][1])
    assert len(marks(drawing, "point model")) == WHISKERS + 2
    assert len(marks(drawing, "point human")) == 1
    assert len([line for line in drawing.lines if line.look == "spread model"]) == WHISKERS


def test_no_two_dots_lie_on_each_other():
    across = [50.0] * 5 + [51.0, 53.0]
    rows = _stacked(across)
    places = list(zip(across, rows, strict=True))
    assert all(
        row != other_row or abs(x - other) >= NEAR
        for number, (x, row) in enumerate(places)
        for other, other_row in places[:number]
    )
    assert rows[:5] == [0, 1, -1, 2, -2]
