"""Values of a page are parsed strictly, and an invalid number never costs an answer."""

import pytest

from humantrials.protocols.trial_types import VIDEO_CHOICE


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [("3.25", 3.25), ("", None), ("soon", None), ("nan", None), ("inf", None), ("-1", None), ("1e99", None)],
)
def test_a_number_is_read_or_left_out(sent, seconds):
    assert VIDEO_CHOICE.columns({"seconds": sent})["seconds"] == seconds


@pytest.mark.parametrize(
    ("sent", "flags"),
    [
        ({"seconds": "12.5", "watched": "1.000"}, []),
        ({"seconds": "12.5", "watched": "0.4"}, ["not-watched"]),
        ({}, ["untimed", "not-watched"]),
        ({"seconds": "2", "watched": "0.3", "problem": "reported"}, ["not-watched", "problem"]),
    ],
)
def test_doubtful_answers_carry_flags(sent, flags):
    assert VIDEO_CHOICE.columns(sent)["playback"]["flags"] == flags


@pytest.mark.requirement("P6")
def test_times_are_kept_to_the_millisecond_and_playback_beside_them():
    sent = {"seconds": "12.345", "stalls": "2", "leaves": "1", "dropped_frames": "7", "clock": "frame"}
    columns = VIDEO_CHOICE.columns(sent)
    assert columns["seconds"] == 12.345
    played = {"stalls": 2, "leaves": 1, "dropped_frames": 7, "clock": "frame"}
    assert columns["playback"] == played | {"flags": ["not-watched"]}
