"""Texts of drawings are wrapped by their width: nothing is lost, and no line is wider than its room."""

import pytest

from leaderboard.charts.rendering.letters import fits, lines_in, width_of

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
