"""Every scene passes its audit, which finds every mutation."""

from functools import cache

import numpy as np
import pytest

from scenes.audit import audit_trajectory, problems
from scenes.audit.folder import expected_answer
from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.scene import Profile
from scenes.trajectory import Trajectory
from tests.scenes.mutations import MUTATIONS, Mutation, cut_short

AUDITED = (0, 2)  # clips of each scene, which other tests of this file simulate, too


@cache
def simulated(folder: str, index: int) -> tuple[str, Trajectory]:
    """The label and the motion of a corrected clip."""
    scene = draw_scene(SCENES[folder], 5, index)
    return scene.label, simulate(scene)


def found(folder: str, index: int, profile: Profile) -> list[str]:
    kind = SCENES[folder]
    if profile == "corrected":
        label, trajectory = simulated(folder, index)
    else:
        scene = draw_scene(kind, 5, index, profile=profile)
        label, trajectory = scene.label, simulate(scene)
    return problems(audit_trajectory(trajectory), label, test=kind.test, profile=profile)


@pytest.mark.parametrize("profile", ["corrected", "faithful"])
@pytest.mark.parametrize("folder", SCENES)
def test_every_scene_passes_its_audit(folder, profile):
    assert {index: found(folder, index, profile) for index in AUDITED} == {index: [] for index in AUDITED}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.scene}: {mutation.what}")
def test_audit_catches_every_mutation(mutation: Mutation, tmp_path):
    label, trajectory = simulated(mutation.scene, mutation.index)
    mutation.spoil(trajectory).save(tmp_path / "spoilt.npz")
    verdict = audit_trajectory(Trajectory.load(tmp_path / "spoilt.npz"))
    assert problems(verdict, mutation.label or label, test=SCENES[mutation.scene].test, profile="corrected")


def bare(trajectory: Trajectory) -> Trajectory:
    """Nothing hides anything: there is no box at any time."""
    visible = trajectory.visible.copy()
    visible[:, _boxes(trajectory)] = False
    return trajectory.changed(visible=visible)


def blind(trajectory: Trajectory) -> Trajectory:
    """Everything is hidden: the camera is inside a wall."""
    position = trajectory.position.copy()
    position[:, _boxes(trajectory, role="furniture")[0]] = trajectory.description.camera.position
    return trajectory.changed(position=position)


def _boxes(trajectory: Trajectory, role: str = "") -> list[int]:
    bodies = trajectory.description.bodies
    return [column for column, body in enumerate(bodies) if body.shape == "box" and role in ("", body.role)]


AT_THE_END = "the ball can't be seen at the end"


@pytest.mark.parametrize(
    ("folder", "spoil", "whats"),
    [
        ("IP_Unchangeableness", bare, ["the screen does not hide an object", "an object changes in plain view"]),
        ("IP_Unchangeableness", blind, ["an object can't be seen"]),
        ("IP_Unchangeableness2", bare, ["the pillar does not hide the ball", "the colour changes in plain view"]),
        ("IP_Unchangeableness2", blind, [AT_THE_END]),
        ("IP_SolidityContinuity", bare, ["the ball passes through the barrier in plain view"]),
        ("IP_SolidityContinuity", blind, [AT_THE_END]),
        ("IP_SolidityContinuity2", bare, ["the ball passes through the floor in plain view"]),
        ("IP_SolidityContinuity2", blind, [AT_THE_END]),
        ("IP_ObjectPermanence2", bare, ["no screen ever covers the block", "the block jumps in plain view"]),
        ("IP_ObjectPermanence2", blind, ["the block is not in view at the start and at the end"]),
        ("IP_ObjectPermanence", bare, ["the ball does not wait behind the curtain"]),
        ("IP_ObjectPermanence", bare, ["a high part of the screen does not hide the ball"]),
        ("IP_ObjectPermanence", bare, ["the ball goes or comes in plain view"]),
        ("IP_ObjectPermanence", blind, [AT_THE_END, "the screen would hide the missing ball all the time"]),
        ("IP_Inertia", bare, ["the ball is not under its cover at the start and at the end"]),
        ("IP_GravityInertia", bare, ["the ball stops in mid-air in plain view"]),
        ("IP_GravityInertia", blind, [AT_THE_END]),
        ("IP_GravityInertia2", bare, ["the ball is not behind its curtain at the start"]),
        ("IP_GravityInertia2", blind, ["the ball leaves its course out of sight"]),
        ("IP_Continuity", bare, ["the plank can be seen before the cover opens"]),
        ("IP_Continuity", bare, ["the ball passes through the plank in plain view"]),
        ("IP_Continuity", blind, ["the plank can't be seen at the end"]),
        ("IP_GravityContinuity", bare, ["the ball gets over the gap in plain view"]),
        ("IP_GravityContinuity", blind, [AT_THE_END]),
        ("IP_Inertia2", bare, ["the ball is not under its cover at the start", "the ball arrives in plain view"]),
        ("IP_Inertia2", bare, ["the ball jumps in plain view"]),
        ("IP_Inertia2", blind, [AT_THE_END]),
    ],
)
def test_audit_knows_what_the_camera_sees(folder, spoil, whats):
    _, trajectory = simulated(folder, 2)
    assert set(whats) <= {finding.what for finding in audit_trajectory(spoil(trajectory)).findings}


def test_there_are_enough_mutations():
    assert len(MUTATIONS) >= 32
    assert {kind.test for kind in SCENES.values()} == {SCENES[mutation.scene].test for mutation in MUTATIONS}


@pytest.mark.parametrize("folder", [folder for folder in SCENES if folder.startswith("IP_")])
def test_violation_has_a_frame_after_the_first_motion(folder):
    _, trajectory = simulated(folder, 0)
    verdict = audit_trajectory(trajectory)
    assert verdict.violation_frame is not None
    moved = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-6
    assert np.argmax(moved) <= verdict.violation_frame
    assert verdict.what


def test_faithful_profile_mislabels_three_objects_and_the_audit_says_so():
    kind = SCENES["ThreeObjectOrdering"]
    scene = draw_scene(kind, 5, 0, profile="faithful")
    verdict = audit_trajectory(simulate(scene))
    middle, left, right = scene.label.split(",")
    assert verdict.label == f"{left},{middle},{right}"
    assert problems(verdict, scene.label, test=kind.test, profile="corrected")


def test_a_clip_as_published_lasts_ten_seconds_and_a_corrected_one_may_be_shorter():
    label, trajectory = simulated("P_Collision", 2)
    verdict = audit_trajectory(cut_short(trajectory))
    assert problems(verdict, label, test="Collision", profile="faithful") == ["300 states instead of 500"]
    assert problems(verdict, label, test="Collision", profile="corrected") == []


def test_faithful_collision_hides_a_heavy_ball():
    kind = SCENES["IP_Collision"]
    verdict = audit_trajectory(simulate(draw_scene(kind, 5, 0, profile="faithful")))
    assert [finding.check for finding in verdict.findings] == ["masses"]


@pytest.mark.parametrize(
    ("folder", "answer"),
    [
        ("P_Gravity", ("Gravity", "plausible")),
        ("IP_GravityInertia", ("GravityInertia", "implausible")),
        ("ColorRed", ("Color", "red")),
        ("RelationalPositionLeft", ("RelationalPosition", "left")),
        ("MovementFalse", ("Movement", "false")),
        ("Unknown", ("Unknown", "")),
    ],
)
def test_answer_is_read_from_the_folder(folder, answer, tmp_path):
    assert expected_answer(tmp_path / folder / "000") == answer
