import ctypes
import json

import numpy as np
import pytest

from scenes.clip import UnknownLook, make_clip
from scenes.drawing import draw_motion
from scenes.registry import SCENES
from scenes.rendering import cinema, soft_light
from scenes.rendering.looks import stage_of
from scenes.rendering.soft_light import RENDERINGS, TONES, SoftLight
from scenes.scene import LOOKS

pytestmark = pytest.mark.render
SIZE = (96, 72)
FACTS = "trajectories/level1/ColorRed/000.json"


def motion(folder):
    return draw_motion(SCENES[folder], 31, 0, profile="corrected")


def test_an_unknown_look_is_named(tmp_path):
    with pytest.raises(UnknownLook, match="'noir'; there are classic, cinema, plain"):
        make_clip("ShapeBall", 0, 0, tmp_path / "out", look="noir")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("folder", ["IP_Continuity", "P_ObjectPermanence3"])
def test_what_is_drawn_in_part_equals_what_is_drawn_whole(folder):
    """A shadow beyond its area would leave an edge there."""
    trajectory = motion(folder)
    stage = SoftLight(trajectory, (320, 240))
    for state in (60, 140):
        drawn = stage.draw(state).astype(int)
        stage._place(state)
        whole = TONES[np.sum([stage._render(n, stage.whole) for n in range(RENDERINGS)], axis=0, dtype=np.uint16)]
        different = np.abs(drawn - whole).max(axis=2)
        assert (different > 4).mean() < 2e-4  # single pixels on edges, which two viewports round differently


def test_a_picture_does_not_depend_on_what_was_drawn_before():
    trajectory = motion("P_Collision")
    alone, after = (SoftLight(trajectory, SIZE) for _ in range(2))
    picture = alone.draw(110)
    for state in (0, 55, 109):
        after.draw(state)
    assert np.array_equal(after.draw(110), picture)


def test_twins_share_pictures_and_files_stay_the_same(tmp_path, monkeypatch):
    drawn, draw = [], SoftLight.draw
    monkeypatch.setattr(SoftLight, "draw", lambda self, state: drawn.append(state) or draw(self, state))
    for name, folders in {"pair": ("P_Collision", "IP_Collision"), "alone": ("ShapeBall", "IP_Collision")}.items():
        for folder in folders:
            drawn.clear()
            make_clip(folder, 3, 0, tmp_path / name, size=SIZE, fps=10)
        if name == "pair":
            shared = len(drawn)
    assert shared < 0.75 * len(drawn)
    pair, alone = (tmp_path / name / "videos/level2/IP_Collision/000.mp4" for name in ("pair", "alone"))
    assert pair.read_bytes() == alone.read_bytes()


def test_shadows_are_soft():
    trajectory = motion("P_Collision")
    steps = {}
    for look in ("classic", "plain"):
        row = stage_of(trajectory, (320, 240), look).draw(0).astype(int).mean(axis=2)[85:130, 150]
        steps[look] = np.abs(np.diff(row)).max()
    assert steps["classic"] < 0.75 * steps["plain"]  # the edge of the shadow on the box's back


def test_looks_move_nothing(tmp_path):
    facts = {}
    for look in set(LOOKS) - {"cinema"}:
        make_clip("ColorRed", 1, 0, tmp_path / look, size=SIZE, fps=10, look=look)
        facts[look] = json.loads((tmp_path / look / FACTS).read_text())
        assert facts[look].pop("look") == look
    assert facts["classic"] == facts["plain"]


def test_a_clip_is_kept_in_its_own_look_alone(tmp_path):
    looks = ("plain", "plain", "classic")
    made = [make_clip("ColorRed", 1, 0, tmp_path, size=SIZE, fps=10, look=look) for look in looks]
    assert [clip.was_kept for clip in made] == [False, True, False]


@pytest.mark.parametrize("folder", ["P_Collision", "IP_ObjectPermanence3"])
def test_five_lamps_are_close_to_light_from_the_whole_ceiling(folder, monkeypatch):
    trajectory, state = motion(folder), 60
    five = soft_light.SoftLight(trajectory, (320, 240)).draw(state)
    for name, value in {"RENDERINGS": 32, "CEILING_LAMPS": (2,) * 32, "HEIGHTS": 27, "TURN": 0.0}.items():
        monkeypatch.setattr(soft_light, name, value)
    stage = soft_light.SoftLight(trajectory, (320, 240))
    stage._place(state)
    light = np.mean([stage._render(number, stage.whole) for number in range(32)], axis=0) / 255
    whole = 255 * light ** (1 / soft_light.BRIGHTER)
    assert np.abs(five - whole).mean() < 1.8  # of 255


def test_without_vulkan_cinema_says_what_to_install(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(cinema.CinemaUnavailable, match="make cinema"):
        cinema.check_cinema()


def test_cinema_draws_the_same_pictures_twice():
    try:
        cinema.check_cinema()
    except cinema.CinemaUnavailable as why:
        pytest.skip(f"NO VULKAN: {why}")
    trajectory = motion("ColorRed")
    first, second = (stage_of(trajectory, SIZE, "cinema").draw(0) for _ in range(2))
    assert np.array_equal(first, second)
    assert (first[..., 0].astype(int) > 60 + first[..., 1:].max(axis=2)).sum() > 5
