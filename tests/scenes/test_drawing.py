"""Corrected clips: visible telltales, no dead time, and the same motion for the same seed."""

import json

import numpy as np
import pytest

from scenes.audit import audit_folder, audit_trajectory, problems
from scenes.audit.folder import legibility_faults
from scenes.clip import make_clip
from scenes.drawing import draw_motion, draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES, TESTS

PAIRS = [test for test in TESTS if test.level == 2]
MOTIONS = {  # digests of motions without the physics engine
    "IP_Inertia": "f88b597cf520f985271c8086e249417566b20e9f707d9e6ff55b636612cc51f0",
    "P_ObjectPermanence": "e2eab9b544d581d3e447732dd7ec0b6ac154b1146cde2cb4ee1fec760a994674",
    "IP_Unchangeableness2": "b4c2331614f4e3303ca459c433ac9b3b757fe421fd52ef2929589bd2d780181f",
    "IP_Inertia2": "cb88a0b7187919ca222673537232bb183894149148ff983d150b70e525cfcb3a",
}


@pytest.mark.parametrize("test", PAIRS, ids=lambda test: test.name)
def test_twins_are_sound_equally_long_and_end_soon_after_the_last_event(test):
    motions = [draw_motion(SCENES[folder], 31, 2, profile="corrected") for folder in test.folders]
    for folder, motion in zip(test.folders, motions, strict=True):
        verdict = audit_trajectory(motion)
        assert not problems(verdict, SCENES[folder].label, test=test.name, profile="corrected")
    lengths = {len(motion) for motion in motions}
    last = max(motion.last_change for motion in motions)
    assert len(lengths) == 1
    assert 200 <= lengths.pop() <= 500
    assert len(motions[0]) == 200 or 45 <= len(motions[0]) - last <= 76


def metres(folder, index, role):
    """The way of each body of this role."""
    motion = draw_motion(SCENES[folder], 31, index, profile="corrected")
    steps = np.diff(motion.position[:, motion.with_role(role)], axis=0)
    return np.linalg.norm(steps, axis=2).sum(axis=0)


def test_balls_that_hit_a_fixed_one_move_as_much_as_those_that_push_one_away():
    """Else the motion of the whole clip tells the answer of Collision."""
    ways = [[metres(f"{letter}_Collision", index, "ball").sum() for index in range(10)] for letter in ("IP", "P")]
    assert 0.7 < np.median(ways[0]) / np.median(ways[1]) < 1.4


@pytest.mark.parametrize("index", range(3))
def test_a_plank_that_is_stopped_turns_as_far_as_one_that_swings_through(index):
    """Else the motion of the whole clip tells the answer of ObjectPermanence3."""
    stopped, through = (metres(f"{letter}_ObjectPermanence3", index, "plank")[0] for letter in ("IP", "P"))
    assert stopped == pytest.approx(through, rel=0.02)


def test_strange_balls_move_less_or_more_than_the_one_that_falls():
    """Else the motion of the whole clip tells the answer of GravityInertia2."""
    ways = [[metres(f"{letter}_GravityInertia2", index, "ball")[0] for index in range(6)] for letter in ("IP", "P")]
    assert {strange > plain for strange, plain in zip(*ways, strict=True)} == {True, False}


def test_length_varies_and_comes_again():
    lengths = [len(draw_motion(SCENES["P_Inertia"], 31, index, profile="corrected")) for index in range(6)]
    assert len(set(lengths)) > 3
    assert lengths[0] == len(draw_motion(SCENES["IP_Inertia"], 31, 0, profile="corrected"))


@pytest.mark.parametrize("folder", sorted(SCENES))
def test_no_camera_is_wider_than_45_degrees(folder):
    camera = draw_scene(SCENES[folder], 31, 0, profile="corrected").camera
    assert camera.height_angle <= 45
    assert np.linalg.norm(np.subtract(camera.position, camera.focus)) > 1


@pytest.mark.parametrize("folder", MOTIONS)
def test_the_same_seed_gives_the_same_motion_to_the_bit(folder):
    assert simulate(draw_scene(SCENES[folder], 31, 0)).digest() == MOTIONS[folder]


@pytest.mark.parametrize(
    ("measured", "faults"),
    [
        ({"telltale": {"seconds": 0.6, "at_end": False, "pixels": 400, "contrast": 0.15}}, 0),
        ({"telltale": {"seconds": 0.1, "at_end": True, "pixels": 400, "contrast": 0.15}}, 0),
        ({"telltale": {"seconds": 0.58, "at_end": False, "pixels": 399, "contrast": 0.14}}, 3),
        ({"named_pixels": 300}, 0),
        ({"named_pixels": 299}, 1),
        ({}, 0),
    ],
)
def test_limits_of_legibility(measured, faults):
    assert len(legibility_faults(measured)) == faults


@pytest.mark.render
def test_a_clip_ends_soon_unless_it_is_long_and_the_audit_knows_the_limits(tmp_path):
    def make(**how) -> dict:
        make_clip("IP_Inertia", 1, 0, tmp_path, size=(96, 72), fps=5, **how)
        return json.loads((tmp_path / "trajectories/level2/IP_Inertia/000.json").read_text())

    long, now = make(is_long=True), make()
    assert long["states"] == 500 > now["states"]
    assert now["legibility"]["telltale"]["pixels"] >= 400
    assert dict(audit_folder(tmp_path)) == {"IP_Inertia/000": []}
    facts = tmp_path / "trajectories/level2/IP_Inertia/000.json"
    now["legibility"]["telltale"]["pixels"] = 99
    facts.write_text(json.dumps(now))
    assert dict(audit_folder(tmp_path)) == {"IP_Inertia/000": ["legibility: the twins differ in 99 pixels"]}
    facts.write_text(json.dumps(now | {"profile": "faithful"}))
    assert "states instead of 500" in " ".join(dict(audit_folder(tmp_path))["IP_Inertia/000"])
