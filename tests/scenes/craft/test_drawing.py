"""The pictures: colours, the order of things, faces; and the video file."""

import math
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from scenes.craft.drawing import overlaid, pictures
from scenes.craft.figure_2 import picture_of
from scenes.craft.filming import film, refuse_format
from scenes.craft.world.physics import simulate
from scenes.craft.world.staging import stage
from scenes.rendering.video import UnusableVideoFormat
from tests.scenes.craft.worlds import fixed, thing

RED, BLUE, EYE, WHITE = (173, 35, 35), (42, 75, 215), (247, 247, 247), (255, 255, 255)


def picture(*things, edge=256):
    poses = np.array([[(*one.position, one.angle) for one in things if one.is_dynamic]])
    return next(pictures(things, poses, edge))[0].copy()


def at(pixels, x, y):
    """The colour at this point of the world."""
    scale = len(pixels) / 50
    return tuple(int(part) for part in pixels[int((45 - y) * scale), int((x + 25) * scale), :3])


def test_the_newest_thing_is_on_top_and_the_sensor_over_its_basket():
    large = thing(1, "cube", "red", "large", position=(0.0, 20.0))
    pixels = picture(fixed(2, "basket", 0, -1.2), large, thing(0, "circle", "blue", position=(0.0, 20.0)))
    assert at(pixels, 0, 19.5) == BLUE
    assert at(pixels, 1.8, 21.8) == RED
    assert at(pixels, 0, -2) == (230, 230, 230)
    assert at(pixels, 20, 40) == WHITE


def test_eyes_are_above_the_middle_and_turn_with_the_thing():
    upright, turned = (
        picture(thing(0, size="large", position=(0.0, 20.0), angle=turn), edge=1024) for turn in (math.pi, 0.0)
    )
    assert at(upright, 0.47 + 0.3, 20.47) == EYE
    assert at(turned, 0.47 + 0.3, 19.53) == EYE
    assert at(upright, 0.47, 19.0) == RED


def test_nothing_of_a_face_sticks_out_of_a_small_triangle():
    drawn = picture(thing(0, "triangle", position=(0.0, 20.0)))
    seen = np.argwhere((drawn[..., :3] != 255).any(axis=2))
    assert np.ptp(seen[:, 1]) <= math.ceil(2 * 2 * math.sin(math.pi / 3) * 5.12) + 1


def test_figure_2_lays_the_ends_under_the_middle():
    low, middle, high = ([fixed(0, "platform", x, 20)] for x in (-10, 0, 10))
    pixels = overlaid(middle, (low, high), 256)
    assert at(pixels, 0, 20) == (0, 0, 0)
    assert 0 < at(pixels, -15, 20)[0] < 255
    assert at(pixels, 0, 30) == WHITE


def test_a_film_has_a_frame_for_each_step_and_begins_after_the_first(tmp_path):
    run = simulate(stage(14, 0, 0), keeps_poses=True)
    film(run, tmp_path / "clip.mp4")
    with av.open(str(tmp_path / "clip.mp4")) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        assert (stream.width, stream.height, float(stream.average_rate)) == (256, 256, 60.0)
    assert len(frames) == 600
    expected = next(pictures(run.start, run.poses, 256))[0][..., :3]
    assert np.abs(frames[0].astype(int) - expected).mean() < 3
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(("size", "fps"), [((256, 192), 60), ((15, 15), 60), ((2000, 2000), 60), ((256, 256), 50)])
def test_what_cant_be_filmed_is_refused(size, fps):
    with pytest.raises(UnusableVideoFormat):
        refuse_format(size, fps)


def test_the_pages_pictures_of_the_scenes_are_what_the_code_draws():
    """`python -m scenes.craft.figure_2 static/sheets/craft` redraws them."""
    folder = Path(__file__).parents[3] / "static" / "sheets" / "craft"
    assert len(list(folder.glob("scene-*.webp"))) == 20
    drawn = Image.fromarray(picture_of(13)).convert("L")
    with Image.open(folder / "scene-13.webp") as kept:
        assert np.abs(np.asarray(kept.convert("L"), int) - np.asarray(drawn, int)).max() <= 1
