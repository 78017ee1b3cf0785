"""Tests 11, 12, 13, 15 and 16 of Level 2: their corrections, and the engine's launch of bodies."""

from collections import Counter

import numpy as np
import pytest

from scenes.audit.auditing import audit_trajectory
from scenes.audit.geometry import is_hidden, surface_distances
from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.scene import STEP, Profile
from scenes.trajectory import Trajectory

TESTS = ("GravityInertia2", "Continuity", "GravityContinuity", "GravitySupport", "Inertia2")
STATES = ("position", "orientation", "colour", "visible")


def motion(folder: str, index: int, profile: Profile = "corrected") -> Trajectory:
    return simulate(draw_scene(SCENES[folder], 3, index, profile=profile))


def pair(test: str, index: int) -> tuple[Trajectory, Trajectory]:
    return motion(f"P_{test}", index), motion(f"IP_{test}", index)


def column(trajectory: Trajectory, role: str) -> int:
    return trajectory.with_role(role)[0]


def seen_at_first(trajectory: Trajectory) -> list[int]:
    """Columns of the bodies in view at the start; a plank under a cover is not."""
    hidden = [plank for plank in trajectory.with_role("barrier") if is_hidden(trajectory, plank, 0)]
    return [body for body in range(trajectory.position.shape[1]) if body not in hidden]


@pytest.mark.parametrize("test", TESTS)
def test_the_first_picture_is_the_same_for_both_answers(test):
    for index in range(4):
        plausible, implausible = pair(test, index)
        assert seen_at_first(plausible) == seen_at_first(implausible)
        for name in STATES:
            one, other = (getattr(clip, name)[0, seen_at_first(clip)] for clip in (plausible, implausible))
            assert np.array_equal(one, other)


def test_ball_in_the_tray_of_test_12_runs_the_same_way_for_both_answers():
    for index in range(4):
        one, other = (clip.position[:, column(clip, "ball")] for clip in pair("Continuity", index))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("test", ["Continuity", "GravityContinuity", "Inertia2"])
def test_what_hides_the_ball_opens_at_the_same_moment_for_both_answers(test):
    role = "occluder" if test == "GravityContinuity" else "cover"
    for index in range(4):
        one, other = (clip.position[:, column(clip, role)] for clip in pair(test, index))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("test", ["Continuity", "Inertia2"])
def test_ball_in_the_tray_slows_down_only_where_it_is_mended(test):
    for profile, share in (("corrected", 0.75), ("faithful", 1.0)):
        clip = motion(f"P_{test}", 0, profile)
        speed = np.linalg.norm(np.diff(clip.position[:, column(clip, "ball")], axis=0), axis=1) / STEP
        moving = speed[speed > 0.01]
        assert moving[-3] / moving[1] == pytest.approx(share, abs=0.02)


def test_plank_looks_out_from_under_the_cover_only_as_published():
    def early(profile: Profile) -> int:
        clips = [motion("P_Continuity", index, profile) for index in range(8)]
        return sum(not is_hidden(clip, column(clip, "barrier"), 0) for clip in clips)

    assert early("corrected") == 0 < early("faithful")


def test_both_corners_are_run_to_in_test_16_but_not_as_published():
    def ends(profile: Profile) -> Counter[float]:
        clips = [draw_scene(SCENES["P_Inertia2"], 3, index, profile=profile) for index in range(12)]
        return Counter(float(clip.parameters["target"]) for clip in clips)

    assert set(ends("corrected")) == {-2.19, 2.19}
    assert set(ends("faithful")) == {-1.577}


def test_implausible_ball_of_test_13_is_never_moved_at_once():
    for profile, is_sudden in (("corrected", False), ("faithful", True)):
        clip = motion("IP_GravityContinuity", 0, profile)
        steps = np.linalg.norm(np.diff(clip.position[:, column(clip, "ball")], axis=0), axis=1)
        assert (steps.max() > 0.1) == is_sudden


def test_implausible_block_of_test_15_still_lies_on_the_edge_where_it_is_mended():
    for profile, touches in (("corrected", True), ("faithful", False)):
        clip = motion("IP_GravitySupport", 0, profile)
        assert (surface_distances(clip, column(clip, "block"), column(clip, "beam"))[-1] < 0.01) == touches


def test_plausible_block_of_test_15_is_never_over_the_edge_or_falls():
    falls = []
    for index in range(8):
        clip = motion("P_GravitySupport", index)
        block, beam = column(clip, "block"), column(clip, "beam")
        reach = abs(clip.position[-1, block, 0] - clip.position[-1, beam, 0])
        bodies = clip.description.bodies
        is_on_beam = reach + bodies[block].size[0] / 2 < bodies[beam].size[0] / 2
        falls.append(clip.position[-1, block, 2] < clip.position[-1, beam, 2])
        assert is_on_beam != falls[-1]
    assert set(falls) == {True, False}


def test_ball_of_test_11_drops_or_floats_about_as_often():
    told = Counter(audit_trajectory(motion("IP_GravityInertia2", index)).what for index in range(12))
    assert set(told) == {"the ball stops in mid-air and drops straight down", "the ball runs on through the air"}


def test_launched_ball_flies_as_far_as_its_speed_and_fall_say():
    scene = draw_scene(SCENES["P_GravityInertia2"], 3, 0)
    clip = simulate(scene)
    ball, height, speed = column(clip, "ball"), scene.parameters["height"], scene.parameters["speed"]
    path = clip.position[:, ball].astype(float)
    edge = np.argmax(path[:, 2] < path[0, 2] - 0.02)
    landed = np.argmax(path[:, 2] < path[0, 2] - float(height) + 0.005)
    assert (landed - edge) * STEP == pytest.approx(
        (2 * float(height) / 9.81) ** 0.5 - (2 * 0.02 / 9.81) ** 0.5, abs=0.06
    )
    assert abs(path[landed, 0] - path[edge, 0]) == pytest.approx(float(speed) * (landed - edge) * STEP, rel=0.1)
