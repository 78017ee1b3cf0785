"""A stored clip is read in one way: the very pictures that counting gives, and evenly spaced ones by their time."""

from fractions import Fraction
from functools import partial

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from benchmarks.encoding import cut
from benchmarks.encoding.conform import conform
from benchmarks.encoding.encode import pad_poster
from benchmarks.encoding.even_frames import evenly_spaced
from benchmarks.encoding.frames import frames
from benchmarks.encoding.probe import UnreadableMedia
from tests.benchmarks.odd_clips import Odd, write

ENCODINGS = {
    "one keyframe": {"g": "250", "bf": "2"},
    "many keyframes": {"g": "7", "bf": "0"},
    "pyramids": {"g": "30", "bf": "6", "b-pyramid": "normal"},
    "open groups": {"g": "15", "bf": "3", "x264-params": "open-gop=1"},
}


def write_noise(path, count, options):
    """Noise that changes with every picture, so that no two are alike, at 10 a second."""
    rng = np.random.default_rng(0)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=10, options=options | {"sc_threshold": "0"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(count):
            picture = rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def counted(path):
    """Every picture from the first on, without a seek."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_seeking_gives_the_very_pictures_that_counting_gives(tmp_path, encoding):
    path = write_noise(tmp_path / "noise.mp4", 120, ENCODINGS[encoding])
    every = counted(path)
    for wanted in ([0, 17, 34, 51, 68, 85, 102, 119], [119], [60], [0, 1, 2], [3, 3, 40, 41, 90], [5, 118]):
        for threads in (1, 3):
            seen = list(frames(path, wanted, threads=threads))
            assert [frame.index for frame in seen] == wanted
            assert [frame.seconds for frame in seen] == pytest.approx([number / 10 for number in wanted])
            assert all(np.array_equal(frame.picture, every[frame.index]) for frame in seen)


def test_keyframes_are_told_by_their_time_and_all_frames_are_read_small_and_in_pieces(tmp_path, monkeypatch):
    path = write_noise(tmp_path / "noise.mp4", 40, {"g": "10", "bf": "0"})
    assert cut.keyframes_of(path) == pytest.approx([0, 1, 2, 3])
    monkeypatch.setattr(cut, "PIECE", 16)
    assert [piece.shape for piece in cut.small_frames(path, 32, 24)] == [(16, 24, 32, 3)] * 2 + [(8, 24, 32, 3)]


def test_only_pictures_that_are_there_are_read(tmp_path):
    path = write_noise(tmp_path / "noise.mp4", 20, {})
    with pytest.raises(UnreadableMedia, match="ends before picture 40"):
        list(frames(path, [0, 40]))
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(UnreadableMedia):
        list(frames(path, [0]))


@pytest.mark.parametrize("padding", [0, 4096])
def test_a_still_picture_is_one_frame(tmp_path, padding):
    Image.fromarray(np.full((30, 40, 3), 77, np.uint8)).save(path := tmp_path / "still.png")
    pad_poster(path, path.stat().st_size + padding)
    (seen,) = frames(tmp_path / "still.png", partial(evenly_spaced, 8))
    assert (seen.index, seen.seconds, seen.picture.shape) == (0, 0.0, (30, 40, 3))
    assert (seen.picture == 77).all()


def by_number(count, total):
    if count == 1 or total == 1:
        return (total // 2,)
    return tuple(round(place * (total - 1) / (count - 1)) for place in range(count))


@given(
    count=st.integers(1, 64),
    total=st.integers(1, 400),
    rate=st.sampled_from(["1", "10", "12.5", "24000/1001", "25", "30000/1001", "50", "60", "120"]),
    digits=st.sampled_from([3, 6]),
)
def test_at_a_constant_rate_frames_are_spaced_by_number_and_by_time_alike(count, total, rate, digits):
    """Also where a container rounds times to milliseconds."""
    times = [round(float(number / Fraction(rate)), digits) for number in range(total)]
    assert evenly_spaced(count, times) == evenly_spaced(count, range(total)) == by_number(count, total)


@given(count=st.integers(2, 40), steps=st.lists(st.floats(0.005, 1.0), min_size=2, max_size=60))
def test_at_a_rate_that_varies_each_frame_is_the_nearest_to_its_time(count, steps):
    times = np.cumsum([0.0, *steps])
    even = np.linspace(0, times[-1], count)
    if np.abs(np.linspace(0, times[-1], len(times)) - times).max() <= 0.002:
        return
    picked = evenly_spaced(count, list(times))
    assert (picked[0], picked[-1]) == (0, len(times) - 1)
    for number, time in zip(picked, even, strict=True):
        assert abs(times[number] - time) == pytest.approx(np.abs(times - time).min(), abs=1e-9)


def test_a_clip_whose_rate_varies_is_sampled_by_time(tmp_path):
    """Ten pictures in a second, then one a second: by number, a model would see next to nothing of the later ones."""
    times = (*(number / 10 for number in range(10)), 1.0, 2.0, 3.0, 4.0)
    path = write(tmp_path / "film.mkv", Odd("matroska", times=times, lasts=1.0))
    conform(path, made := tmp_path / "made.mp4")
    seen = list(frames(made, partial(evenly_spaced, 5)))
    assert [frame.index for frame in seen] == [0, 10, 11, 12, 13]
    assert [frame.seconds for frame in seen] == pytest.approx([0, 1, 2, 3, 4], abs=0.002)
