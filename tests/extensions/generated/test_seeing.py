"""What is seen of real files: a moving square, a still picture, a jump, black, one colour, broken bytes."""

from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image

from extensions.generated.clipsets.clip_facts import UnseenClipError
from extensions.generated.clipsets.seeing import see


def encoded(path, pictures, fps=24):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "18"})
        stream.width, stream.height, stream.pix_fmt = pictures[0].shape[1], pictures[0].shape[0], "yuv420p"
        stream.time_base = Fraction(1, fps)
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def square_at(place):
    picture = np.full((96, 128, 3), 120, np.uint8)
    picture[::8] = 90
    picture[40:60, place : place + 20] = (240, 220, 60)
    return picture


MOVING = [square_at(4 + 3 * number) for number in range(30)]


def test_moving_clip(tmp_path):
    seen = see(encoded(tmp_path / "a.mp4", MOVING))
    assert (seen.width, seen.height, seen.fps, seen.seconds) == (128, 96, 24.0, 1.25)
    assert not seen.has_sound
    assert seen.moved > 0.05
    assert seen.largest_jump < 0.2
    assert seen.darkest > 80


@pytest.mark.parametrize(
    ("pictures", "holds"),
    [
        ([MOVING[0]] * 30, lambda seen: seen.moved < 0.001),
        ([MOVING[0]] * 2 + [MOVING[29]] * 28, lambda seen: seen.largest_jump > 0.9),
        ([*MOVING[:29], np.zeros_like(MOVING[0])], lambda seen: seen.darkest < 8),
        ([*MOVING[:29], np.full_like(MOVING[0], 200)], lambda seen: seen.flattest < 3),
    ],
    ids=["still", "jump", "black", "one colour"],
)
def test_odd_clip(tmp_path, pictures, holds):
    assert holds(see(encoded(tmp_path / "a.mp4", pictures)))


def test_likeness_to_the_picture_that_was_given(tmp_path):
    clip = encoded(tmp_path / "a.mp4", MOVING)
    for name, picture in (("same", MOVING[0]), ("wide", np.repeat(MOVING[0], 2, axis=1)), ("other", MOVING[0][::-1])):
        Image.fromarray(picture).save(tmp_path / f"{name}.png")
    same, wide, other = (see(clip, tmp_path / f"{name}.png").likeness for name in ("same", "wide", "other"))
    assert same > 0.95
    assert wide > 0.7
    assert other < 0.8
    assert see(clip).likeness is None


@pytest.mark.parametrize("content", [b"", b"no video at all", b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 60])
def test_what_is_no_video_has_a_reason(tmp_path, content):
    (tmp_path / "a.mp4").write_bytes(content)
    with pytest.raises(UnseenClipError):
        see(tmp_path / "a.mp4")


def test_cut_off_clip_has_a_reason(tmp_path):
    path = encoded(tmp_path / "a.mp4", MOVING)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(UnseenClipError):
        see(path)
