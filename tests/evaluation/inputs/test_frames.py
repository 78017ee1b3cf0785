"""Models get the true frames of a clip, decoded once for all models."""

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.base import Frames
from evaluation.errors import ClipUnreadable, RunMisused
from evaluation.inputs.frames import check_sampler, decoded, frames_for, frames_of, place_of, shuffled, wanted_frames
from tests.benchmarks.encoding.test_frames import ENCODINGS, write_noise


def brightness(frames) -> list[int]:
    """The index of each picture in the test clip, from its grey."""
    return [round(float(picture.mean()) / 10) for picture in frames.pixels]


@given(count=st.integers(1, 256), total=st.integers(1, 2000))
def test_frames_are_evenly_spaced_from_first_to_last(count, total):
    wanted = wanted_frames(f"uniform-{count}", range(total))
    assert len(wanted) == (count if total > 1 else 1)
    assert all(0 <= index < total for index in wanted)
    assert list(wanted) == sorted(wanted)
    if count > 1:
        assert (wanted[0], wanted[-1]) == (0, total - 1)


def test_an_unknown_sampler_is_refused_and_the_known_ones_named():
    for name in ("uniform-0", "uniform-257", "uniform", "uniform-08", "best-8", "", "uniform--1"):
        with pytest.raises(RunMisused, match="there are uniform-N"):
            check_sampler(name)


def test_the_pictures_are_those_of_the_clip(make_filmed):
    frames = frames_of(make_filmed()[0].clip, "uniform-5")
    assert frames.indices == (0, 5, 10, 14, 19)
    assert frames.times == (0.0, 0.5, 1.0, 1.4, 1.9)
    assert brightness(frames) == [0, 5, 10, 14, 19]
    assert (frames.pixels.dtype, frames.pixels.shape) == (np.uint8, (5, 48, 64, 3))
    assert (frames.duration_seconds, frames.fps) == (2.0, 10.0)


def test_a_clip_is_decoded_once_unless_what_was_kept_is_half_written(make_filmed, settings):
    clip = make_filmed()[0].clip
    first, kept = frames_of(clip, "uniform-4"), place_of(clip, "uniform-4")
    for content in (kept.read_bytes()[:-100], kept.read_bytes()[:40], b"", b"{}\n"):
        kept.unlink()  # `first` still has the old file mapped
        kept.write_bytes(content)
        assert frames_of(clip, "uniform-4").digest == first.digest
    (settings.MEDIA_ROOT / "clips" / clip.renditions.get().name).unlink()
    again = frames_of(clip, "uniform-4")
    assert (again.digest, again.indices, again.times) == (first.digest, first.indices, first.times)
    assert np.array_equal(again.pixels, first.pixels)


def test_conditions_show_what_they_say(make_filmed):
    clip, how = make_filmed()[0].clip, {"sampler": "uniform-4", "seed": 0, "key": "item"}
    shown = {"video": [0, 6, 13, 19], "first-frame": [0], "middle-frame": [10], "last-frame": [19]}
    for condition, seen in shown.items():
        frames = frames_for(clip, condition=condition, **how)
        assert brightness(frames) == list(frames.indices) == seen
    for condition in ("question-only", "text"):
        assert frames_for(clip, condition=condition, **how) is None


def test_shuffled_frames_are_the_same_ones_in_an_order_of_seed_and_item(make_filmed):
    frames = frames_of(make_filmed()[0].clip, "uniform-8")
    one, again = shuffled(frames, seed=0, key="one"), shuffled(frames, seed=0, key="one")
    others = [shuffled(frames, seed=0, key="other"), shuffled(frames, seed=1, key="one")]
    assert one.indices == again.indices
    assert all(other.indices != one.indices for other in others)
    assert sorted(one.indices) == list(frames.indices) != list(one.indices)
    assert brightness(one) == list(one.indices)
    assert [round(10 * seconds) for seconds in one.times] == list(one.indices)
    assert one.digest != frames.digest


@given(
    key=st.text(max_size=12), seed=st.integers(0, 2**31), indices=st.lists(st.integers(0, 5), min_size=1, max_size=6)
)
def test_a_shuffled_clip_never_looks_like_the_clip(key, seed, indices):
    pixels = np.array(indices, np.uint8).reshape(-1, 1, 1, 1).repeat(3, axis=3)
    frames = Frames(pixels, tuple(indices), tuple(map(float, indices)), "", 1.0, 1.0)
    if len(set(indices)) == 1:
        with pytest.raises(ClipUnreadable, match="a single picture"):
            shuffled(frames, seed=seed, key=key)
        return
    seen = shuffled(frames, seed=seed, key=key)
    assert seen.pixels.tobytes() != pixels.tobytes()
    assert sorted(seen.pixels[:, 0, 0, 0]) == sorted(indices)


@pytest.mark.requirement("M12")
@pytest.mark.parametrize("spoil", ["missing", "empty", "garbage", "cut", "short"])
def test_a_clip_that_cannot_be_shown_is_an_error_never_an_empty_question(make_filmed, settings, spoil):
    clip = make_filmed(stated=200 if spoil == "short" else None)[0].clip
    path = settings.MEDIA_ROOT / "clips" / clip.renditions.get().name
    content = {"empty": b"", "garbage": b"no video " * 500, "cut": path.read_bytes()[: path.stat().st_size // 3]}
    path.unlink() if spoil == "missing" else path.write_bytes(content.get(spoil, path.read_bytes()))
    with pytest.raises(ClipUnreadable, match=r"can't be opened|at its import"):
        frames_of(clip)


@pytest.mark.requirement("M11")
def test_decoding_many_clips_does_not_grow_memory(make_filmed, settings):
    clip = make_filmed(1, frames=1, stated=120)[0].clip
    write_noise(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name, 120, ENCODINGS["pyramids"])
    process, sizes = psutil.Process(), []
    for round_ in range(60):
        if round_ in (20, 59):
            sizes.append(process.memory_info().rss)
        decoded(clip, "uniform-8")
    assert sizes[1] - sizes[0] < 8 * 2**20


def test_a_clip_known_to_be_bad_is_not_even_opened(make_filmed):
    for name, value in (("problem", "no video stream"), ("frames", 0)):
        clip = make_filmed()[0].clip
        setattr(clip, name, value)
        with pytest.raises(ClipUnreadable):
            frames_of(clip)
