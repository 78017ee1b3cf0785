"""The camera's view of each body, and when a violation can be known."""

from dataclasses import replace

import numpy as np
import pytest

from scenes.audit import audit_trajectory
from scenes.audit.auditing import EXPECTATIONS
from scenes.audit.geometry import is_hidden
from scenes.audit.verdict import Finding
from scenes.drawing import draw_scene, draw_until_sound
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.rendering.segmentation import LARGE, SMALL, Segmenter
from scenes.scene import After, Box, Camera, Glide, Scene, Sphere, TriggeredAction
from scenes.trajectory import Trajectory
from scenes.visibility import Sight, _first_knowable, _seen, observe
from tests.scenes.mutations import recoloured

pytestmark = pytest.mark.render
CAMERA = Camera(position=(0.0, -5.0, 0.0), focus=(0.0, 0.0, 0.0))


def screened(*rules: TriggeredAction, aside: float = 0.0, radius: float = 0.3, is_visible: bool = True) -> Trajectory:
    """A ball behind a screen of 1 m x 1 m, both in the middle of the picture unless the ball is moved aside."""
    screen = Box(name="Screen", size=(1, 0.02, 1), position=(0, -1, 0), role="occluder")
    ball = Sphere(
        name="Ball", size=(2 * radius,) * 3, position=(aside, 0, 0), role="ball", motion="guided", is_visible=is_visible
    )
    return simulate(Scene(test="Color", label="", bodies=(screen, ball), camera=CAMERA, rules=rules))


def shares(trajectory: Trajectory, state: int = 0) -> list[float]:
    return Segmenter(trajectory).shares(state, LARGE).tolist()


@pytest.mark.parametrize(("aside", "expected"), [(0.0, 0.0), (0.625, 0.5), (1.5, 1.0), (9.0, 0.0)])
def test_share_is_what_the_screen_and_the_picture_leave(aside, expected):
    # The screen's edge, 0.5 m aside at 4 m, hides what is within 0.625 m at 5 m; at 9 m the ball is out of the picture.
    assert shares(screened(aside=aside)) == pytest.approx([1.0, expected], abs=0.02)


def test_absent_body_is_not_seen_unless_asked_for():
    segmenter = Segmenter(screened(aside=1.5, is_visible=False))
    assert segmenter.shares(0)[1] == 0
    assert segmenter.shares(0, also=(1,))[1] == 1


def test_course_knows_the_state_in_which_the_ball_comes_out():
    trajectory = screened(TriggeredAction(After(1.0), (Glide("Ball", (2, 0, 0), 2.0),)))
    segmenter = Segmenter(trajectory)
    seen = _seen(trajectory, segmenter)
    drawn = segmenter.drawn
    exact = np.array([segmenter.shares(state, SMALL)[1] for state in range(len(trajectory))])
    assert seen.shape == (len(trajectory), 2)
    assert np.argmax(seen[:, 1] > 0) == np.argmax(exact > 0)
    assert np.abs(seen[:, 1] - exact).max() < 0.2
    assert drawn < 80  # of 500 states


DRAWN_COARSELY = 407  # a seed of this test alone: what is seen of a draw is kept for the process


@pytest.mark.parametrize("folder", SCENES)
def test_seen_agrees_with_geometry_and_only_implausible_clips_have_a_moment(folder, tmp_path, monkeypatch):
    kind = SCENES[folder]
    monkeypatch.setattr("scenes.visibility.STRIDE", 15)  # clips are made with each fifth state
    monkeypatch.setattr("scenes.legibility.STRIDE", 100)  # how legible twins are is nothing to this test
    monkeypatch.setattr("scenes.drawing.legibility_faults", lambda measured: [])
    drawn = draw_until_sound(kind, DRAWN_COARSELY, 0, "corrected", tmp_path / "000.npz")
    trajectory = Trajectory.load(tmp_path / "000.npz")
    assert trajectory.seen is not None
    assert trajectory.digest() == trajectory.changed(seen=None).digest()
    for column in (column for role in EXPECTATIONS[kind.test].main for column in trajectory.with_role(role)):
        for state in range(0, len(trajectory), 50):
            if trajectory.visible[state, column] and trajectory.seen[state, column] > 0.1:
                assert not is_hidden(trajectory, column, state)
    violation, known = drawn.verdict.violation_frame, drawn.first_knowable
    if drawn.scene.label != "implausible":
        assert (violation, known, drawn.is_out_of_sight) == (None, None, None)
    else:
        assert violation is not None
        assert known is not None
        assert violation <= known < 500


def test_change_in_sight_of_a_hiding_test_is_a_finding():
    trajectory = simulate(draw_scene(SCENES["IP_Unchangeableness2"], 7, 0))
    verdict = audit_trajectory(trajectory)
    sound = observe(trajectory, verdict)
    assert (sound.is_out_of_sight, sound.findings) == (True, ())
    late = sound.first_knowable + 5
    found = observe(recoloured("Ball", (1.0, 1.0, 1.0), start=late)(trajectory), replace(verdict, violation_frame=late))
    assert (found.is_out_of_sight, found.first_knowable) == (False, late)
    assert [finding.check for finding in found.findings] == ["hidden"]


def test_violation_that_stays_hidden_is_a_finding():
    trajectory = simulate(draw_scene(SCENES["IP_Unchangeableness2"], 7, 0))
    verdict = audit_trajectory(trajectory)
    column = trajectory.names["Ball"]
    middle = float(trajectory.position[verdict.violation_frame, column, 0])
    position = trajectory.position.copy()
    position[verdict.violation_frame :, column, 0] = middle
    found = observe(trajectory.changed(position=position), verdict)
    assert found.first_knowable is None
    assert "nobody can ever see" in str(found.findings[-1])


def test_absence_is_known_where_the_ball_should_be_seen():
    trajectory = screened(TriggeredAction(After(0.1), (Glide("Ball", (2, 0, 0), 1.0),)))
    visible = trajectory.visible.copy()
    visible[20:, 1] = False
    gone = trajectory.changed(visible=visible)
    seen = np.zeros((500, 2), dtype=np.float16)
    known = _first_knowable(Segmenter(gone), seen, (1,), 20)
    assert known is not None
    assert 0.2 < shares(trajectory, known)[1] < 0.5


def test_refused_draw_in_sight_is_counted(tmp_path, monkeypatch):
    nothing = np.zeros((500, 1), dtype=np.float16)
    sights = iter([Sight(nothing, 90, False, (Finding("hidden", "in sight"),)), Sight(nothing, 90, True)])
    monkeypatch.setattr("scenes.visibility.observe", lambda trajectory, verdict: next(sights))
    monkeypatch.setattr("scenes.drawing._sight_cache", {})  # other tests' cached views of this motion
    drawn = draw_until_sound(SCENES["IP_Unchangeableness2"], 7, 0, "corrected", tmp_path / "000.npz")
    assert drawn.refused == ("in sight",)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["000.npz"]
