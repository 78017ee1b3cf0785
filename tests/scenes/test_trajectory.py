import numpy as np

from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.scene import After, Box, Camera, Glide, Released, Scene, Sphere, TriggeredAction
from scenes.trajectory import Trajectory

CAMERA = Camera((0, -3, 1), (0, 0, 0))
FLOOR = Box(name="Floor", size=(4, 4, 0.1), position=(0, 0, -0.05))


def make_scene(*bodies, rules=(), seconds=2.0) -> Scene:
    return Scene(test="none", label="", bodies=bodies, camera=CAMERA, rules=rules, seconds=seconds)


def test_saved_trajectory_is_read_back_with_the_same_digest(tmp_path):
    trajectory = simulate(draw_scene(SCENES["IP_Collision"], 1, 0))
    trajectory.save(tmp_path / "motion.npz")
    again = Trajectory.load(tmp_path / "motion.npz")
    assert again.digest() == trajectory.digest()
    assert again.description == trajectory.description
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["motion.npz"]


def test_digest_tells_every_state_apart():
    trajectory = simulate(draw_scene(SCENES["P_Gravity"], 1, 0))
    position = trajectory.position.copy()
    position[250, -1, 0] += 1e-6
    assert trajectory.changed(position=position).digest() != trajectory.digest()


def test_trajectory_never_holds_the_intended_answer():
    pair = [simulate(draw_scene(SCENES[f"{letter}_SolidityContinuity"], 1, 0)) for letter in ("P", "IP")]
    assert pair[0].description == pair[1].description


def test_ball_falls_as_fast_as_it_should():
    ball = Sphere(name="Ball", size=(0.2,) * 3, position=(0, 0, 2), motion="free", is_held=True)
    motion = simulate(make_scene(FLOOR, ball, rules=(TriggeredAction(After(0.5), (Released("Ball"),)),)))
    fallen = 2 - motion.position[:, 1, 2]
    assert fallen[25] == 0
    assert np.isclose(fallen[50], 9.81 * 0.5**2 / 2, atol=0.02)
    assert np.isclose(motion.position[-1, 1, 2], 0.1, atol=0.001)
    assert (motion.contacts[:, 1:] == (0, 1)).all()


def test_glide_ends_at_its_target_and_slows_down_on_the_way():
    box = Box(name="Box", size=(0.1,) * 3, position=(0, 0, 1), motion="guided")
    motion = simulate(make_scene(box, rules=(TriggeredAction(After(0.2), (Glide("Box", (1, 0, 1), 1.5, -0.5),)),)))
    steps = np.diff(motion.position[:, 0, 0])
    assert np.allclose(motion.position[-1, 0], (1, 0, 1))
    moving = steps[steps > 1e-6][:-1]
    assert (np.diff(moving) < 0).all()
    assert np.isclose(moving[0], 1.5 * 0.02, atol=0.001)


def test_equal_balls_share_the_speed_of_a_hit():
    first = Sphere(name="First", size=(0.2,) * 3, position=(-1.4, 0, 0.5), motion="free", friction=0.0, is_held=True)
    second = Sphere(name="Second", size=(0.2,) * 3, position=(0.5, 0, 0.1), motion="free", friction=0.0)
    half = 0.25  # radians; the ramp's lower end is at x = -0.6, on the floor
    ramp = Box(
        name="Ramp", size=(1.4, 1, 0.02), position=(-1.2, 0, 0.26), orientation=(0.9689, 0, 0.2474, 0), friction=0.0
    )
    assert np.isclose(np.sin(half), 0.2474, atol=1e-3)
    smooth = Box(name="Floor", size=(4, 4, 0.1), position=(0, 0, -0.05), friction=0.0)
    motion = simulate(make_scene(smooth, ramp, first, second, rules=(TriggeredAction(After(0), (Released("First"),)),)))
    velocity = np.diff(motion.position[:, [2, 3], 0], axis=0) / 0.02
    touch = int(np.argmax(velocity[:, 1] > 0.05))
    before, after = velocity[touch - 2, 0], velocity[touch + 8]
    assert np.allclose(after, before / 2, rtol=0.1)
