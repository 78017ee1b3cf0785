"""Every scene passes its audit, which finds every mutation; `make soak PART=audit` audits 64 clips of each scene."""

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
from tests.scenes import mutations, mutations_falling, mutations_presence
from tests.scenes.mutations import Mutation

AUDITED = (0, 2)  # clips of each scene, which other tests of this file simulate, too
MUTATIONS = (*mutations.MUTATIONS, *mutations_presence.MUTATIONS, *mutations_falling.MUTATIONS)


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
    label, trajectory = simulated(mutation.scene, 2)
    mutation.spoil(trajectory).save(tmp_path / "spoilt.npz")
    verdict = audit_trajectory(Trajectory.load(tmp_path / "spoilt.npz"))
    assert problems(verdict, mutation.label or label, test=SCENES[mutation.scene].test, profile="corrected")


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
