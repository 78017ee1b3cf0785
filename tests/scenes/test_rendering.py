import multiprocessing
import os
from dataclasses import replace

import av
import numpy as np
import pytest

from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.rendering import soft_light, studio
from scenes.rendering.looks import stage_of
from scenes.rendering.materials import MATERIALS
from scenes.rendering.mujoco_renderer import pictures
from scenes.rendering.studio import close_renderer
from scenes.rendering.video import render
from tests.programs import loaded_by, python

pytestmark = pytest.mark.render


def trajectory_of(folder: str):
    return simulate(draw_scene(SCENES[folder], 1, 0))


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "ball.mp4"
    return path, render(trajectory_of("DirectionLeft"), path, size=(160, 120), fps=50)


def test_video_has_the_wanted_format(clip):
    with av.open(str(clip[0])) as container:
        stream = container.streams.video[0]
        assert len(container.streams) == 1
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (stream.width, stream.height, stream.average_rate) == (160, 120, 50)
        frames = list(container.decode(video=0))
    assert len(frames) == 500
    assert float(frames[-1].time) == pytest.approx(9.98)
    keys = [number for number, frame in enumerate(frames) if frame.key_frame]
    assert set(np.diff(keys)) == {25}


def test_file_tells_nothing_but_its_pictures(clip):
    with av.open(str(clip[0])) as container:
        known = {"major_brand", "minor_version", "compatible_brands"}
        assert set(container.metadata) <= known
        assert set(container.streams.video[0].metadata) <= {"language", "handler_name", "vendor_id"}
    content = clip[0].read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")  # faststart
    assert b"Lavf" not in content


def test_equal_pictures_are_drawn_once(clip):
    _, rendering = clip
    trajectory = trajectory_of("DirectionLeft")
    moving = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-4
    assert rendering.rendered == moving.sum() + 1
    assert rendering.rendered + rendering.reused == 500


def test_a_still_scene_costs_one_picture(tmp_path):
    rendering = render(trajectory_of("ShapeBall"), tmp_path / "still.mp4", size=(64, 48), fps=10)
    assert (rendering.rendered, rendering.reused) == (1, 99)


def test_a_change_of_colour_alone_is_drawn(tmp_path):
    trajectory = trajectory_of("ShapeBall")
    colour = trajectory.colour.copy()
    colour[250:, -1] = (1, 0, 0)
    rendering = render(trajectory.changed(colour=colour), tmp_path / "red.mp4", size=(64, 48), fps=10)
    assert rendering.rendered == 2


@pytest.mark.parametrize(("folder", "channel"), [("ColorRed", 0), ("ColorGreen", 1), ("ColorBlue", 2)])
def test_colours_are_to_be_seen(folder, channel):
    pixels = next(pictures(trajectory_of(folder), (160, 120))).pixels.astype(int)
    others = [pixels[..., other] for other in range(3) if other != channel]
    assert (pixels[..., channel] > 120 + np.maximum(*others)).sum() > 20


def test_left_and_right_are_as_the_camera_sees_them():
    columns = {}
    for side in ("Left", "Right"):
        trajectory = trajectory_of(f"RelationalPosition{side}")
        colour = trajectory.colour.copy()
        colour[:, -1] = (0, 1, 0)
        pixels = next(pictures(trajectory.changed(colour=colour), (160, 120))).pixels.astype(int)
        green = pixels[..., 1] > 60 + np.maximum(pixels[..., 0], pixels[..., 2])
        columns[side] = np.nonzero(green)[1].mean()
    assert columns["Left"] < 70 < 90 < columns["Right"]


def test_process_ends_cleanly_after_rendering(tmp_path):
    code = (
        "from pathlib import Path; from scenes.clip import make_clip\n"
        f"make_clip('ShapeBall', 0, 0, Path({str(tmp_path)!r}), size=(64, 48), fps=10)"
    )
    done = python(["-c", code], os.environ, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_scene_modules_open_no_heavy_library():
    assert loaded_by("import scenes.clip", ["mujoco", "av", "skia", "django"], os.environ) == set()


@pytest.mark.parametrize("look", ["plain", "classic"])
def test_a_texture_is_the_same_whenever_a_renderer_first_needs_it(look):
    close_renderer()
    one_after_another = [drawn_of(material, look) for material in TEXTURED]
    for material, picture in zip(TEXTURED, one_after_another, strict=True):
        close_renderer()
        assert np.array_equal(drawn_of(material, look), picture)


def test_the_texture_of_each_body_is_to_be_seen(monkeypatch):
    painted = studio.painted
    for material in TEXTURED:
        picture = drawn_of(material, "plain")
        own = MATERIALS[material].texture
        with monkeypatch.context() as patch:
            white = np.full_like(painted(own), 255)
            patch.setattr(studio, "painted", lambda name, own=own, white=white: white if name == own else painted(name))
            studio._with_painted.cache_clear()
            studio.close_renderer()
            assert not np.array_equal(drawn_of(material, "plain"), picture)
        studio._with_painted.cache_clear()
    studio.close_renderer()


def test_classic_reads_the_nearest_size_of_a_texture(monkeypatch):
    nearest = drawn_of("Granite", "classic")
    monkeypatch.setattr(soft_light, "QUALITY", replace(soft_light.QUALITY, blends_sizes=True))
    assert not np.array_equal(drawn_of("Granite", "classic"), nearest)


TEXTURED = ("Granite", "Wood02", "GreenMetalRust")


def drawn_of(material, look):
    """The first picture of a scene whose last body is of this material."""
    trajectory = trajectory_of("ColorRed")
    *others, last = trajectory.description.bodies
    made_of_it = replace(trajectory.description, bodies=(*others, replace(last, material=material)))
    return stage_of(trajectory.changed(description=made_of_it), (64, 48), look).draw(0)


def test_a_forked_process_draws_the_same_pictures():
    trajectory = trajectory_of("ColorRed")
    here = next(pictures(trajectory, (64, 48))).pixels
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.starmap(first_picture, [(trajectory, (64, 48))] * 2)
    assert all(np.array_equal(here, picture) for picture in there)


def first_picture(trajectory, size):
    return next(pictures(trajectory, size)).pixels
