"""Texts of drawings are wrapped by their width: nothing is lost, and no line is wider than its room, also in charts."""

from itertools import pairwise

import pytest

from leaderboard.charts.chart import ACROSS, Axis, Chart, Point, Trace
from leaderboard.charts.rendering.drawing import PHONE, drawing_of
from leaderboard.charts.rendering.letters import fits, lines_in, width_of
from leaderboard.exports.table import Table

NAMES = (
    "Small video network, trained on half of these tests 0.10M",
    "Video-LLaMA2/7B_chat-with-very-long-hyphens",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk",
    "",
    "a",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", [40, 90, 200, 600])
def test_lines_hold_all_of_a_name_within_their_room(name, room):
    lines = lines_in(name, room)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert all(width_of(line) <= room for line in lines)
    assert len(lines) == 1 or all(lines)


def test_a_room_narrower_than_a_letter_has_a_letter_a_line():
    assert lines_in("Wm", 1) == ["W", "m"]
    assert not fits("Wm", 1)
    assert fits("one two", width_of("one"))


def test_unknown_letters_are_as_wide_as_the_widest():
    assert width_of("物") >= width_of("W")


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
