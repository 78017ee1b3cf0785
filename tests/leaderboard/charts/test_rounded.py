"""A rounded figure is drawn as the range in which it lies, without a mark, and its label says the range."""

import re

import pytest
from django.template.loader import render_to_string

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import hide
from leaderboard.board.board_row import BoardCell
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.board.strip_points import mark_of
from leaderboard.charts.board_charts import profile, slopes
from leaderboard.charts.chart import ACROSS, FREE, UPWARDS, Axis, Chart, Trace, point_of
from leaderboard.charts.gap_chart import ColumnGap
from leaderboard.charts.grasp_figure_3 import chart_of, figure_3
from leaderboard.charts.model_charts import profile_of_model
from leaderboard.charts.rendering.drawing import drawing_of
from leaderboard.charts.rendering.plotly_figure import plotly_figure
from leaderboard.exports.table import Table
from leaderboard.standings.refresh import refresh
from tests.factories import make_model
from tests.leaderboard.conftest import answered, pack_of_two_tests

ROUNDED = BoardCell(score=0.7, n=64, low=0.6, high=0.85, facts={"step": 0.1})
EXACT = BoardCell(score=0.9, n=64, low=0.8, high=0.95)
GRASP = BENCHMARKS["grasp"]


def chart_with(cells, form, **more):
    """A chart of one answerer with these figures."""
    points = tuple(point_of(one, place, f"{place}", is_upright=form != ACROSS) for place, one in enumerate(cells))
    axis = Axis("", 0, 100, ())
    return Chart("", form, axis, axis, (Trace("Seer", points),), Table("", (), ()), **more)


@pytest.mark.parametrize("form", [ACROSS, UPWARDS, FREE])
def test_a_rounded_figure_is_a_bar_from_low_to_high_without_a_mark(form):
    chart = chart_with([ROUNDED, EXACT, EXACT], form, has_lines=form != ACROSS)
    assert chart.traces[0].points[0].label == "0 65–75 %, rounded"
    drawing, exact = drawing_of(chart), drawing_of(chart_with([EXACT, EXACT], form))
    assert len(drawing.points) == len(exact.points) == 2
    (bar,) = (line for line in drawing.lines if line.look.startswith("range"))
    assert bar.title == "Seer: 0 65–75 %, rounded"
    spread = next(line for line in drawing.lines if line.look.startswith("spread"))
    low, high = ((line.x1, line.x2) if form == ACROSS else (line.y2, line.y1) for line in (spread, bar))
    assert low[0] < high[0] < high[1] < low[1] if form == ACROSS else low[1] > high[1] > high[0] > low[0]
    assert len([line for line in drawing.lines if line.look.startswith("join")]) == (form != ACROSS)


@pytest.mark.parametrize("form", [ACROSS, UPWARDS])
def test_plotly_draws_the_same_range(form):
    marked, ranged = plotly_figure(chart_with([ROUNDED, EXACT], form)).to_plotly_json()["data"]
    assert marked["x"][0] is None
    value, error = ("x", "error_x") if form == ACROSS else ("y", "error_y")
    assert list(ranged[value]) == [65.0, 75.0, None]
    assert (ranged["mode"], list(ranged[error]["arrayminus"]), list(ranged[error]["array"])) == (
        "lines",
        [5.0, 0, 0],
        [0, 10.0, 0],
    )
    assert ranged["hovertext"][0] == "0 65–75 %, rounded"


def test_a_rounded_figure_has_no_width_and_its_mark_is_a_bar_over_its_range():
    assert (ColumnGap(None, EXACT, ROUNDED).value, ColumnGap(None, EXACT, EXACT).value) == (None, 0.0)
    mark = mark_of(ROUNDED, "")
    assert (mark.is_range, mark.low, mark.high) == (True, pytest.approx(65), pytest.approx(75))


@pytest.fixture
def hidden():
    """A model with two promptings over 64 clips of two tests, which a study seals: its overall figure is rounded."""
    pack = pack_of_two_tests(64)
    seer = make_model(name="Seer", slug="seer", kind="transformers")
    for strategy in ("plausibility", "plausibility-cot"):
        answered(pack, "yes", strategy=strategy, model=seer)
    hide(pack.items.values_list("pk", flat=True), by="trial:fresh")
    refresh()
    return pack


def charts_of_site():
    board = board_of(view_of(GRASP, {"level": "2"}))
    level = next(one for one in all_levels() if one.models)
    return [profile(board), slopes(board), profile_of_model("Seer", [level]), chart_of(figure_3(GRASP))]


@pytest.mark.django_db
def test_no_chart_marks_the_middle_of_a_rounded_figure(visitor, hidden):
    for chart in charts_of_site():
        points = [point for trace in chart.traces if trace.name.startswith("Seer") for point in trace.points]
        assert points, chart.title
        assert all(point.range and "–" in point.label for point in points), chart.title
        rows = [row for row in chart.table.rows if "Seer" in str(row[:2])]
        assert re.search(r"'\d[\d.]*–\d", str(rows)), chart.title
    page = visitor.get("/leaderboard/grasp/?level=2&group=test").content.decode()
    (row,) = (row for row in re.findall("<tr.*?</tr>", page, re.DOTALL) if ">Seer<" in row and "rank" in row)
    assert len(re.findall(r"<b>\d[\d.]*–\d", row)) == 3  # overall and two tests
    chart = visitor.get("/leaderboard/grasp/?level=2&group=test&chart=profile").content.decode()
    assert 'class="wm range"' in chart or 'class="w1 range"' in chart
    assert '<circle class="m ' not in chart.partition("<tbody>")[2].partition("</tbody>")[0]


@pytest.mark.parametrize(("step", "text", "shape"), [(0.1, "65–75 %", "line"), (None, "70 %", "circle")])
def test_beside_ones_own_score_stands_the_range(step, text, shape):
    cell = BoardCell(score=0.7, facts={"step": step} if step else {})
    row = render_to_string("humantrials/parts/own_score_row.html", {"share": 0.7, "cell": cell, "words": "Best"})
    assert text in " ".join(row.split())
    assert ('class="wm range"' in row, "<circle" in row) == (shape == "line", shape == "circle")
