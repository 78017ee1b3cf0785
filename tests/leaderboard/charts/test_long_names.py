"""Names that are too long for a line of a chart."""

from leaderboard.charts.chart import ACROSS, Axis, Chart, Point, Trace
from leaderboard.charts.rendering.drawing import LETTER, PHONE, drawing_of
from leaderboard.exports.table import Table

LONG = "16 Kugel rollt unter eine Klappe und kommt wieder hervor"


def profile(names, **given):
    table = Table("Profile", ("test",), ((name,) for name in names))
    ticks = tuple(enumerate(names))
    traces = tuple(Trace(f"Small video network, trained on half of the tests {n}", (Point(50, 0, ""),)) for n in (1, 2))
    return Chart("Profile", ACROSS, Axis("", 0, 100, ()), Axis("", -0.5, 1.5, ticks), traces, table, **given)


def test_a_long_name_at_the_side_takes_two_lines():
    labels = drawing_of(profile([LONG[:40], "Short"])).labels
    first, second, short = (one for one in labels if one.anchor == "end")
    assert (f"{first.text} {second.text}", first.whole) == (LONG[:40], "")
    assert (second.y - first.y, short.text) == (13, "Short")
    assert max(len(one.text) for one in (first, second)) * LETTER <= first.x == second.x


def test_a_name_that_is_longer_still_is_cut_and_told_in_whole():
    first, second = (one for one in drawing_of(profile([LONG])).labels if one.anchor == "end")
    assert second.text.endswith("…")
    assert first.whole == second.whole == LONG


def test_names_in_a_phones_legend_take_two_lines_and_move_the_plot_down():
    wide, narrow = (drawing_of(profile(["Short"], width=width)) for width in (720, PHONE))
    assert not any("…" in one.text for one in (*wide.labels, *narrow.labels))
    assert [one.y for one in narrow.labels[:4]] == [18, 31, 51, 64]
    assert narrow.points[1].y == narrow.points[0].y + 33
