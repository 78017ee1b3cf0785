"""The drawing of scores: shapes and looks by what a figure is, labels where there is room."""

import re

import pytest

from benchmarks.strips import StripPoint, label_is_after, strip


def test_people_are_diamonds_and_models_circles_with_a_gap_on_request():
    drawn = strip([StripPoint(48.1, look="hollow"), StripPoint(87, is_people=True)], chance=50)
    assert re.findall(r'<circle class="m hollow" cx="(.*?)"', drawn) == ["48.1%"]
    assert len(re.findall(r'<path class="p "', drawn)) == 1
    assert 'class="ch" x1="50%"' in drawn
    marks = [StripPoint(48), StripPoint(87, is_people=True)]
    assert '<line class="gap" x1="48%" x2="87%"' in strip(marks, joins=True)
    assert "gap" not in strip(marks)


def test_intervals_stay_on_the_axis_and_apart():
    drawn = strip([StripPoint(98, 90, 103), StripPoint(4, -2, 9, is_people=True, look="sim")])
    assert re.findall(r'<line class="w(\w)" x1="(.*?)%" x2="(.*?)%" y1="(.*?)%"', drawn) == [
        ("m", "90", "100.0", "32.0"),
        ("s", "0.0", "9", "68.0"),
    ]


def test_a_rounded_figure_is_a_bar_without_a_mark():
    drawn = strip([StripPoint(50, 40, 60, is_range=True)])
    assert 'class="wm range"' in drawn
    assert "<circle" not in drawn


@pytest.mark.parametrize(
    ("at", "others", "after"), [(10, [], True), (90, [], False), (60, [80], False), (40, [20], True), (50, [], False)]
)
def test_labels_stand_where_there_is_room(at, others, after):
    assert label_is_after(StripPoint(at, label="LSTM-CNN-V"), others) == after


def test_a_label_is_escaped_and_cut():
    drawn = strip([StripPoint(50, label="<b>" + "long" * 10)])
    assert "<b>" not in drawn
    assert "…</text>" in drawn
