"""The strip of a level, with every mark at its place from 0 to 100; names too long for a line of a chart."""

from itertools import pairwise

import pytest

from leaderboard.board.overviews.level_results import all_levels
from leaderboard.charts.chart import ACROSS, Axis, Chart, Point, Trace
from leaderboard.charts.level_strip import NEAR, WHISKERS, _stacked, strip_of
from leaderboard.charts.rendering.drawing import PHONE, drawing_of
from leaderboard.charts.rendering.letters import width_of
from leaderboard.exports.table import Table
from leaderboard.standings.refresh import refresh
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db


def marks(drawing, look):
    return [mark for mark in drawing.points if mark.look == look]


def test_what_papers_report_is_hollow_with_chance_and_the_gap():
    drawing = strip_of(all_levels()["craft"][0])
    assert [mark.x for mark in marks(drawing, "point human hollow")] == [80.37]
    assert sorted(mark.x for mark in marks(drawing, "point model hollow"))[-1] == 53.01
    assert len(marks(drawing, "point model hollow")) == 10
    assert {line.x1 for line in drawing.lines if line.look == "base"} == {42.03, 37.47, 30.72, 5.24}
    assert not marks(drawing, "point model")
    # chance is a line only where there is one
    craft, pacs = (strip_of(all_levels()[slug][0]) for slug in ("craft", "pacs"))
    assert [line.x1 for line in pacs.lines if line.look == "guess"] == [50.0]
    assert not [line for line in craft.lines if line.look == "guess"]
    assert "chance 50" in {label.text for label in pacs.labels}
    # the gap runs from the best model to people and says its width
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


LONG = "16 Kugel rollt unter eine Klappe und kommt wieder hervor"


def profile(names, **given):
    table = Table("Profile", ("test",), ((name,) for name in names))
    ticks = tuple(enumerate(names))
    traces = tuple(Trace(f"Small video network, trained on half of the tests {n}", (Point(50, 0, ""),)) for n in (1, 2))
    return Chart("Profile", ACROSS, Axis("", 0, 100, ()), Axis("", -0.5, 1.5, ticks), traces, table, **given)


def test_a_long_name_at_the_side_takes_the_lines_that_it_needs():
    labels = drawing_of(profile([LONG, "Short"])).labels
    *lines, short = (one for one in labels if one.anchor == "end" and one.look == "text")
    assert " ".join(one.text for one in lines) == LONG
    assert len(lines) > 2
    assert {one.whole for one in lines} == {LONG}
    assert {after.y - before.y for before, after in pairwise(lines)} == {16}
    assert max(width_of(one.text) for one in lines) <= lines[0].x == lines[-1].x
    assert short.y > lines[-1].y + 16


def test_names_in_a_phones_legend_take_lines_and_move_the_plot_down():
    wide, narrow = (drawing_of(profile(["Short"], width=width)) for width in (680, PHONE))
    assert not any("…" in one.text for one in (*wide.labels, *narrow.labels))
    assert [one.y for one in narrow.labels[:4]] == [18, 34, 54, 70]
    assert narrow.points[1].y == narrow.points[0].y + 36
