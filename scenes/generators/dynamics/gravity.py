"""Test 9, Gravity: a ball rolls down a plank or up it."""

import math
from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import THICKNESS, at, ball, board, plank, room
from scenes.scene import Action, After, Body, Colour, Glide, Profile, Released, Scene, Show, TriggeredAction, Vector

MIDDLE, BOTTOM, DEPTH = 3.811, 10.276, 0.02
WIDTH, STRENGTH = 3.8, 9.81  # metres, metres a second squared
RADIUS = {"faithful": 0.1, "corrected": 0.14}  # metres
END = WIDTH / 2 - 0.2  # metres from the middle to the ball's start, behind either curtain
CLEARANCE = 0.001  # metres between ball and plank at the start


@dataclass(frozen=True)
class Slope:
    angle: float  # radians
    side: int  # 1: the high end is on the right
    radius: float  # of the ball

    def above(self, x: float) -> Vector:
        """Centre of a ball that touches the plank at `x` metres from the middle, towards the high end."""
        height = BOTTOM + 0.05 + math.tan(self.angle) * (x - 0.1 + 1.8)
        height += (self.radius + THICKNESS / 2 + CLEARANCE) / math.cos(self.angle)
        return (MIDDLE + self.side * x, height, DEPTH)


def gravity(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.726, -2.257), (MIDDLE, 11.726, -0.130), x=(-0.3, 0.3), height=(0, 1))
    delay, colour, speed = chance.delay(rng, 50, 150), chance.strong_colour(rng), float(rng.uniform(1, 3))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    degrees = float(rng.uniform(10, 30))
    slope = Slope(math.radians(degrees), -1 if is_mirrored else 1, RADIUS[profile])
    thing, act = (_falling if label == "plausible" else _climbing)(slope, colour, speed, profile)
    rise = math.tan(slope.angle) * 1.8
    return Scene(
        test="Gravity",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood),
            plank(
                (MIDDLE + slope.side * 0.1, BOTTOM + 0.05 + rise, DEPTH),
                (WIDTH - 0.2) / math.cos(slope.angle),
                0.5,
                angle=slope.angle,
                side=slope.side,
                wood=wood,
                role="plank",
            ),
            thing,
        ),
        camera=camera,
        rules=(TriggeredAction(After(delay), (Show("Ball"), act)),),
        parameters=chance.parameters(delay, speed, wood, is_mirrored, degrees=degrees),
    )


def _falling(slope: Slope, colour: Colour, speed: float, profile: Profile) -> tuple[Body, Action]:
    x, height, depth = slope.above(END)
    if profile == "faithful":
        height = BOTTOM + math.tan(slope.angle) * WIDTH + 0.15
    thing = ball(
        "Ball",
        2 * slope.radius,
        (x, height, depth),
        colour,
        motion="free",
        is_held=True,
        is_visible=False,
        friction=0.0,
        mass=100.0 if profile == "faithful" else 1.0,
    )
    return thing, Released("Ball")


def _climbing(slope: Slope, colour: Colour, speed: float, profile: Profile) -> tuple[Body, Action]:
    """The climbing ball: at constant speed as published; corrected, as the paper says, accelerating like the falling
    ball."""
    thing = ball("Ball", 2 * slope.radius, slope.above(-END), colour, is_visible=False)
    if profile == "faithful":
        return thing, Glide("Ball", at(*slope.above(WIDTH / 2 - slope.radius)), speed)
    return thing, Glide("Ball", at(*slope.above(END)), 0.0, STRENGTH * math.sin(slope.angle))


def _box(wood: str) -> tuple[Body, ...]:
    return (
        board("Box/Bottom", (MIDDLE, BOTTOM, DEPTH), (WIDTH, 0.1, 0.5), wood, role="floor"),
        board("Box/Left", (1.861, 11.726, DEPTH), (0.1, 3, 0.5), wood),
        board("Box/Right", (5.761, 11.726, DEPTH), (0.1, 3, 0.5), wood),
        board("Box/Top", (MIDDLE, 13.176, DEPTH), (WIDTH, 0.1, 0.5), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (4, 3, 0.1), "Pole"),
        board("Box/RightCurtain", (5.511, 11.726, -0.235), (0.6, 3, 0.01), wood, role="curtain"),
        board("Box/LeftCurtain", (2.111, 11.726, -0.235), (0.6, 3, 0.01), wood, role="curtain"),
    )
