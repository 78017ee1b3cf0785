"""Legibility: whether twins differ visibly."""

from dataclasses import replace

import numpy as np
import pytest

from scenes.legibility import named_pixels, still_share, telltale
from scenes.physics.mujoco_engine import simulate
from scenes.scene import After, Camera, Glide, Hide, Plane, Recolour, Scene, Sphere, TriggeredAction
from scenes.trajectory import Trajectory

pytestmark = pytest.mark.render
CAMERA = Camera(position=(0.0, -5.0, 0.0), focus=(0.0, 0.0, 0.0), height_angle=45.0)
UPRIGHT = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
BALL = Sphere(name="Ball", size=(0.6,) * 3, position=(0, 0, 0), role="object", motion="guided", colour=(0, 0, 0))
WALL = Plane(name="Wall", size=(9, 9, 0), position=(0, 2, 0), orientation=UPRIGHT, role="room")


def staged(*rules: TriggeredAction, ball: Sphere = BALL) -> Trajectory:
    return simulate(Scene(test="Color", label="", bodies=(WALL, ball), camera=CAMERA, rules=rules))


def test_a_ball_that_vanishes_differs_in_its_disc_and_to_the_end():
    told = telltale(staged(), staged(TriggeredAction(After(6), (Hide("Ball"),))), since=300)
    # Seen from 5 m, 240 pixels are 2 x 5 x tan 22.5 degrees high: the ball's radius is 17.4 pixels.
    assert told.pixels == pytest.approx(np.pi * 17.4**2, rel=0.03)
    assert (told.frames, told.seconds, told.at_end) == (pytest.approx(199, abs=5), pytest.approx(4, abs=0.1), True)
    assert told.contrast > 0.5  # nearly black on a lit wall


def test_twins_that_look_alike_have_no_telltale():
    told = telltale(staged(), staged(), since=0)
    assert (told.frames, told.pixels, told.contrast, told.at_end) == (0, 0, 0.0, False)


def test_contrast_follows_the_colours():
    grey = replace(BALL, colour=(0.5, 0.5, 0.5))
    little, much = (
        telltale(staged(ball=grey), staged(TriggeredAction(After(2), (Recolour("Ball", tone),)), ball=grey), since=100)
        for tone in ((0.52, 0.5, 0.5), (1.0, 0.5, 0.5))
    )
    assert little.pixels == much.pixels
    assert little.contrast < 0.1 < 0.4 < much.contrast


def test_what_differs_before_the_violation_does_not_count():
    gone_and_back = staged(TriggeredAction(After(1), (Glide("Ball", (1, 0, 0), 10),)))
    away = staged(TriggeredAction(After(3), (Glide("Ball", (1, 0, 0), 10),)))
    assert telltale(gone_and_back, away, since=0).seconds == pytest.approx(2, abs=0.2)
    assert telltale(gone_and_back, away, since=250).frames == 0


def test_still_share_and_named_pixels():
    moving = staged(TriggeredAction(After(5), (Glide("Ball", (10, 0, 0), 2.0),)))
    assert still_share(moving) == pytest.approx(0.5, abs=0.02)
    assert named_pixels(staged()) == pytest.approx(950, rel=0.03)
