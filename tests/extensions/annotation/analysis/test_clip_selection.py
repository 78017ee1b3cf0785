"""Cuts of long videos and the selected clips, for any cuts, keyframes and seed."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.annotation.analysis.clip_selection import LEAST, LONGEST, Span, clips_of, distance_of, picked, shots_of

SEEDS = st.integers(0, 2**31)
LENGTHS = st.floats(5, 600)
several = settings(max_examples=80, deadline=None)


def test_short_shots_are_left_out():
    assert shots_of([3.0, 12.0, 15.9], 40.0) == [Span(3.0, 12.0, 1), Span(15.9, 40.0, 3)]
    assert shots_of([], 3.9) == []
    assert shots_of([0.0, 8.0, 9.0], 8.0) == [Span(0.0, 8.0, 0)]


@several
@given(seconds=LENGTHS, cuts=st.lists(st.floats(0, 600), max_size=12), every=st.floats(0.2, 14), seed=SEEDS)
def test_clips_begin_at_keyframes_lie_in_one_shot_and_have_the_lengths_of_the_paper(seconds, cuts, every, seed):
    keyframes = [float(time) for time in np.arange(0, seconds, every)]
    shots = shots_of(cuts, seconds)
    clips = clips_of(shots, keyframes, np.random.default_rng(seed))
    by_number = {shot.shot: shot for shot in shots}
    for clip in clips:
        shot = by_number[clip.shot]
        assert clip.start in keyframes
        assert shot.start - 1e-5 <= clip.start < clip.end <= shot.end
        assert LEAST - 1e-5 <= clip.seconds <= LONGEST + 1e-5
        assert clip.seconds >= 5 - 1e-5 or clip.end == shot.end
    for one, other in itertools.pairwise(clips):
        assert one.end <= other.start


def test_a_long_shot_is_cut_whole_where_keyframes_allow():
    clips = clips_of([Span(0.0, 60.0, 0)], [float(time) for time in range(60)], np.random.default_rng(0))
    assert clips[0].start == 0
    assert all(one.end == other.start for one, other in itertools.pairwise(clips))
    assert clips[-1].end > 56


@pytest.mark.parametrize(("minutes", "apart"), [(2, 5), (9.9, 5), (10, 7), (34, 7), (35, 10), (180, 10)])
def test_the_distance_depends_on_the_length_of_the_video(minutes, apart):
    assert distance_of(minutes * 60) == apart * 60


@several
@given(seconds=st.floats(60, 10_000), seed=SEEDS)
def test_picked_clips_lie_apart_and_no_other_would_fit(seconds, seed):
    shots = shots_of([float(cut) for cut in range(40, int(seconds), 40)], seconds)
    clips = clips_of(shots, [float(time) for time in range(0, int(seconds), 2)], np.random.default_rng(seed))
    taken = picked(clips, seconds, np.random.default_rng(seed))

    def fits(clip, others):
        return all(
            other.shot != clip.shot and abs(other.start - clip.start) >= distance_of(seconds) for other in others
        )

    assert all(fits(clip, [other for other in taken if other is not clip]) for clip in taken)
    assert not any(fits(clip, taken) for clip in clips if clip not in taken)
    assert taken == picked(clips, seconds, np.random.default_rng(seed))
