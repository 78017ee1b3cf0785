"""The sound filter, on known sounds."""

import numpy as np
import pytest

from extensions.annotation.analysis.sound_filter import RATE, coarse, loudness, overlap, sound_shares, windows_of
from extensions.annotation.analysis.speech import talking
from tests.extensions.annotation.analysis.sounds import chords, drums, room, speech, taps


def rubbing():
    return room(level=0.05)


CASES = {
    "English digits": (lambda: speech("en"), ["talking", "other"]),
    "German digits": (lambda: speech("de"), ["talking", "other"]),
    "digits over rubbing": (lambda: 0.5 * speech("en") + rubbing(), ["talking", "other"]),
    "chords, a second each": (chords, ["music", "other"]),
    "chords, half a second each": (lambda: chords(beat=0.5), ["music", "other"]),
    "chords over rubbing": (lambda: chords() + 0.4 * rubbing(), ["music", "other"]),
    "notes plucked four times a second": (lambda: chords(beat=0.25, fade=6.0), ["music", "other"]),
    "chords with drums": (lambda: chords(beat=0.5) + drums(), ["music", "other"]),
    "nothing at all": (lambda: np.zeros(8 * RATE, np.float32), ["silence", "other"]),
    "a quiet room": (room, ["silence", "other"]),
    "two taps in eight seconds": (lambda: taps(every=4.0), ["silence", "other"]),
    "a tap a second": (taps, []),
    "something that rings": (lambda: taps(fade=2.0), []),
    "rubbing": (rubbing, []),
    "three seconds of digits, then rubbing": (
        lambda: np.concatenate([speech(seconds=3), rubbing()[: 5 * RATE]]),
        ["talking"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_talking_silence_and_music_are_told_from_what_is_wanted(name):
    made, reasons = CASES[name]
    heard = list(sound_shares(made(), talking).reasons())
    assert [one for one in heard if one != "other"] == [one for one in reasons if one != "other"]
    assert "other" in heard or "other" not in reasons


def test_music_without_held_notes_is_left_to_people():
    """A documented limit; this test keeps the documentation true."""
    assert list(sound_shares(drums(), talking).reasons()) == []


def test_loudness_is_that_of_a_sine():
    sine = np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE).astype(np.float32)
    assert loudness(windows_of(sine)) == pytest.approx(-3.01, abs=0.01)


def test_a_sound_of_a_moment_is_refused():
    with pytest.raises(ValueError, match=r"0\.25 s of sound"):
        sound_shares(np.zeros(RATE // 4, np.float32), talking)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.5, 4.0])
def test_what_two_clips_share_is_found(shared):
    whole = room(seconds=12, level=0.05, seed=3)
    cut = round((6 - shared) * RATE)
    one, other = coarse(whole[: 6 * RATE]), coarse(whole[cut : cut + 6 * RATE] * 0.7)
    expected = shared if shared >= 1 else 0.0
    assert overlap(one, other) == pytest.approx(expected, abs=0.01)
    assert overlap(other, one) == pytest.approx(expected, abs=0.01)


def test_a_clip_within_another_is_found_and_silence_matches_nothing():
    whole = room(seconds=10, level=0.05)
    assert overlap(coarse(whole), coarse(whole[2 * RATE : 7 * RATE])) == pytest.approx(5.0)
    assert overlap(coarse(np.zeros(80_000, np.float32)), coarse(np.zeros(80_000, np.float32))) == 0.0


def test_two_takes_of_the_same_thing_share_nothing():
    assert overlap(coarse(taps(seed=1) + room(level=0.01, seed=1)), coarse(taps(every=0.7) + room(level=0.01))) == 0.0
