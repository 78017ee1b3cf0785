"""Tests 1, 4, 5, 6, 7 and 8 of Level 2: their corrections, and their parts of the engine."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from scenes.audit.geometry import in_picture, is_hidden, surface_distances
from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.physics.script import SwingMotion
from scenes.registry import SCENES
from scenes.scene import Profile, Swing
from scenes.trajectory import Trajectory

TESTS = ("Unchangeableness", "SolidityContinuity2", "ObjectPermanence", "ObjectPermanence3", "Inertia")
STATES = ("position", "orientation", "colour", "visible")


def motion(folder: str, index: int, profile: Profile = "corrected") -> Trajectory:
    return simulate(draw_scene(SCENES[folder], 3, index, profile=profile))


def end_of_motion(trajectory: Trajectory) -> int:
    return int(np.flatnonzero(np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-5)[-1])


def column(trajectory: Trajectory, role: str) -> int:
    return trajectory.with_role(role)[0]


@pytest.mark.parametrize("test", TESTS)
def test_the_first_picture_is_the_same_for_both_answers(test):
    for index in range(4):
        plausible, implausible = (motion(f"{letter}_{test}", index) for letter in ("P", "IP"))
        for name in STATES:
            assert np.array_equal(getattr(plausible, name)[0], getattr(implausible, name)[0])


@pytest.mark.parametrize("test", ["ObjectPermanence", "ObjectPermanence3"])
def test_the_last_picture_is_the_same_where_the_outcome_is_not_the_answer(test):
    for index in range(4):
        plausible, implausible = (motion(f"{letter}_{test}", index) for letter in ("P", "IP"))
        assert np.array_equal(plausible.visible[-1], implausible.visible[-1])
        assert np.abs(plausible.position[-1] - implausible.position[-1]).max() < 1e-5


@pytest.mark.parametrize("index", range(4))
def test_both_answers_of_test_5_begin_and_end_alike_but_for_the_rod_behind_its_housing(index):
    plausible, implausible = (motion(f"{letter}_ObjectPermanence2", index) for letter in ("P", "IP"))
    rod = column(plausible, "rod")
    for name in STATES:
        for state in (0, -1):
            ours, theirs = (np.delete(getattr(clip, name)[state], rod, axis=0) for clip in (plausible, implausible))
            assert np.allclose(ours, theirs, atol=1e-5)
    assert is_hidden(plausible, rod, 0)
    assert is_hidden(implausible, rod, 0)
    assert is_hidden(implausible, rod, len(implausible) - 1)


def changes(index: int, profile: Profile) -> list[str]:
    trajectory = motion("IP_Unchangeableness", index, profile)
    things = trajectory.with_role("object")
    kinds = [facts.shape for facts in trajectory.description.bodies]
    gone = [thing for thing in things if not trajectory.visible[-1, thing]]
    come = [thing for thing in trajectory.with_role("substitute") if trajectory.visible[-1, thing]]
    named = [f"{kinds[one]} to {kinds[other]}" for one, other in zip(gone, come, strict=True)]
    return named + ["colour" for thing in things if (trajectory.colour[0, thing] != trajectory.colour[-1, thing]).any()]


def test_every_implausible_clip_of_test_1_changes_one_object():
    found = [changes(index, "corrected") for index in range(24)]
    assert {len(names) for names in found} == {1}
    assert set(itertools.chain(*found)) == {"colour", "sphere to box", "box to sphere"}


def test_published_clips_of_test_1_give_a_cube_for_a_cube():
    found = Counter(itertools.chain(*(changes(index, "faithful") for index in range(24))))
    assert set(found) == {"colour", "sphere to box", "box to box"}


def test_upper_floor_is_whole_only_where_it_is_mended():
    gap = {
        profile: draw_scene(SCENES["P_SolidityContinuity2"], 3, 0, profile=profile).parameters["gap"]
        for profile in ("corrected", "faithful")
    }
    assert gap["corrected"] == 0 < gap["faithful"] <= 0.2


def test_ball_is_seen_over_the_low_part_of_the_screen():
    trajectory = motion("P_ObjectPermanence", 0)
    (_, dip_depth, dip_top), (_, depth, top) = (
        trajectory.position[0, one] + np.array([0, 0, trajectory.description.bodies[one].size[2] / 2])
        for one in (column(trajectory, "dip"), column(trajectory, "ball"))
    )
    _, eye_depth, eye = trajectory.description.camera.position
    line_of_sight = eye + (dip_top - eye) * (depth - eye_depth) / (dip_depth - eye_depth)
    assert top > line_of_sight + 0.05


@pytest.mark.parametrize("index", range(4))
def test_drawbridge_lies_flat_again_at_the_same_moment_for_both_answers(index):
    ends = [end_of_motion(motion(f"{letter}_ObjectPermanence3", index)) for letter in ("P", "IP")]
    assert abs(ends[0] - ends[1]) <= 2
    assert max(ends) < 485


def test_plausible_drawbridge_stops_at_the_box():
    trajectory = motion("P_ObjectPermanence3", 1)
    apart = surface_distances(trajectory, column(trajectory, "plank"), column(trajectory, "box"))
    assert -0.003 < apart.min() < 0.003


def test_ball_bounces_off_on_either_side_of_the_line():
    for letter, sign in (("P", -1), ("IP", 1)):
        trajectory = motion(f"{letter}_Inertia", 0)
        beside = (
            trajectory.position[[0, -1], column(trajectory, "ball"), 1]
            - trajectory.position[0, column(trajectory, "line"), 1]
        )
        assert beside[1] == pytest.approx(sign * beside[0], abs=1e-4)
        places = in_picture(trajectory.description.camera, trajectory.position[:, column(trajectory, "ball")])
        assert np.abs(places[:, 1]).max() < 1


def test_swing_turns_about_its_hinge_and_back_to_the_start():
    start, upright = np.array([0.0, -0.5, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
    turn = SwingMotion(Swing("Plank", (0, 0, 0), (-1, 0, 0), 90.0, 100.0), start, upright)
    poses = [turn.advance() for _ in range(45)]
    assert [is_over for *_, is_over in poses] == [False] * 44 + [True]
    assert poses[-1][0] == pytest.approx([0, 0, 0.5])
    assert poses[-1][1] == pytest.approx([math.sqrt(0.5), -math.sqrt(0.5), 0, 0])
    back = SwingMotion(Swing("Plank", (0, 0, 0), (-1, 0, 0), -90.0, 4500.0), poses[-1][0], poses[-1][1])
    position, orientation, is_over = back.advance()
    assert is_over
    assert position == pytest.approx(start)
    assert orientation == pytest.approx(upright)


def test_turned_boxes_are_apart_by_their_true_distance():
    trajectory = motion("P_ObjectPermanence3", 1)
    plank, floor = column(trajectory, "plank"), column(trajectory, "floor")
    half = math.sqrt(0.5)
    position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
    orientation[:, plank] = (half, half, 0, 0)  # upright: its edge of 1 m stands on end
    under = position[0, floor, 2] + 0.15  # top of the platform
    position[:, plank] = position[:, floor]
    for rise in (0.2, 0.0, -0.1):
        position[:, plank, 2] = under + 0.5 + rise
        apart = surface_distances(trajectory.changed(position=position, orientation=orientation), plank, floor)
        assert apart == pytest.approx(rise, abs=1e-5)
