"""The second staging: visible telltales, no dead time, and the first staging is still possible."""

import json

import numpy as np
import pytest

import scenes.opengl
from scenes.audit import audit_folder, audit_trajectory, problems
from scenes.audit.legibility import legibility_faults
from scenes.clip import make_clip
from scenes.drawing import draw_motion, draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES, TESTS
from scenes.scene import staged

needs_opengl = pytest.mark.skipif(
    not scenes.opengl.is_available(),
    reason="NO OFF-SCREEN OPENGL: install libosmesa6 or libegl1, or nothing about pictures is tested",
)
PAIRS = [test for test in TESTS if test.level == 2]
FIRST_STAGING = {  # digests of motions without the physics engine
    "IP_Inertia": "e1e48837d5fc8a196bf8d4122bc6f37861d05611235b741d37ec0ad366c5ad8e",
    "P_ObjectPermanence": "d2363a71e0f2814611e88f3321e8b00c734ff3e76a9bda928cdeee8da37dfaca",
    "IP_Unchangeableness2": "e742bf95882f222046ed2d588f5a73a8ef68083f5c8f779824af2f4d46685480",
    "IP_Inertia2": "714540a9f7af2a78eb895d6e5159d4975d5f76e027f897d7d48f9c624e374584",
}


@pytest.mark.parametrize("test", PAIRS, ids=lambda test: test.name)
def test_twins_are_sound_equally_long_and_end_soon_after_the_last_event(test):
    motions = [draw_motion(SCENES[folder], 31, 1, profile="restaged") for folder in test.folders]
    for folder, motion in zip(test.folders, motions, strict=True):
        verdict = audit_trajectory(motion)
        assert not problems(verdict, SCENES[folder].label, test=test.name, profile="restaged")
    lengths = {len(motion) for motion in motions}
    last = max(motion.last_change for motion in motions)
    assert len(lengths) == 1
    assert 200 <= lengths.pop() <= 500
    assert len(motions[0]) == 200 or 45 <= len(motions[0]) - last <= 76


def test_length_varies_and_comes_again():
    lengths = [len(draw_motion(SCENES["P_Inertia"], 31, index, profile="restaged")) for index in range(6)]
    assert len(set(lengths)) > 3
    assert lengths[0] == len(draw_motion(SCENES["IP_Inertia"], 31, 0, profile="restaged"))


@pytest.mark.parametrize("folder", sorted(SCENES))
def test_no_camera_is_wider_than_45_degrees(folder):
    camera = draw_scene(SCENES[folder], 31, 0, profile="restaged").camera
    assert camera.height_angle <= 45
    assert np.linalg.norm(np.subtract(camera.position, camera.focus)) > 1


@pytest.mark.parametrize("folder", FIRST_STAGING)
def test_first_staging_moves_as_ever(folder):
    assert simulate(draw_scene(SCENES[folder], 31, 0)).digest() == FIRST_STAGING[folder]


def test_only_corrected_is_staged_anew():
    assert (staged("corrected"), staged("corrected", 1), staged("faithful")) == ("restaged", "corrected", "faithful")


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
@needs_opengl
def test_clips_keep_their_staging_and_the_audit_knows_it(tmp_path):
    def make(**how) -> dict:
        make_clip("IP_Inertia", 1, 0, tmp_path, size=(96, 72), fps=5, **how)
        return json.loads((tmp_path / "trajectories/level2/IP_Inertia/000.json").read_text())

    before, long, now = make(staging=1), make(is_long=True), make()
    assert [facts["staging"] for facts in (before, long, now)] == [1, 2, 2]
    assert before["states"] == long["states"] == 500 > now["states"]
    assert before["legibility"]["telltale"]["pixels"] < 400 <= now["legibility"]["telltale"]["pixels"]
    assert dict(audit_folder(tmp_path)) == {"IP_Inertia/000": []}
    facts = tmp_path / "trajectories/level2/IP_Inertia/000.json"
    now["legibility"]["telltale"]["pixels"] = 99
    facts.write_text(json.dumps(now))
    assert dict(audit_folder(tmp_path)) == {"IP_Inertia/000": ["legibility: the twins differ in 99 pixels"]}
    facts.write_text(json.dumps(now | {"staging": 1}))
    assert "states instead of 500" in " ".join(dict(audit_folder(tmp_path))["IP_Inertia/000"])
