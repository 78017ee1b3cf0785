"""Test 14, Collision: a ball rolls down into an equal one and either pushes it away or does not move it."""

import math
from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import ball, board, plank, room
from scenes.scene import After, Body, Colour, Profile, Released, Scene, Show, TriggeredAction

MIDDLE, BOTTOM, DEPTH = 3.811, 10.276, -0.18
DIAMETER = 0.2
# Share of its speed with which the first ball leaves a fixed one: it then moves as much as two balls that roll on, and
# the motion of the whole clip does not tell the answer (area under the curve 0.49; without a rebound 0.00).
REBOUND = 0.65
UNMOVABLE = 1000.0  # kilograms: the published generator keeps the struck ball in its place by this mass


@dataclass(frozen=True)
class CollisionDraw:
    """The values that both answers share."""

    slope: float  # radians
    side: int  # 1: the high end is on the right
    dropping: Colour
    waiting: Colour


def collision(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.656, -2.544), (MIDDLE, 11.726, -0.130), x=(-0.3, 0.3), height=(-0.5, 0.5))
    delay, dropping, waiting = chance.delay(rng, 50, 150), chance.strong_colour(rng), chance.strong_colour(rng)
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    degrees = float(rng.uniform(10, 40))
    draw = CollisionDraw(math.radians(degrees), -1 if is_mirrored else 1, dropping, waiting)
    rise = math.tan(draw.slope) * 0.7
    return Scene(
        test="Collision",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, draw.side),
            plank(
                (MIDDLE + draw.side * 0.7, BOTTOM + 0.05 + rise, DEPTH),
                1.4 / math.cos(draw.slope),
                0.9,
                angle=draw.slope,
                side=draw.side,
                wood=wood,
                role="plank",
            ),
            *_balls(draw, label, profile),
        ),
        camera=camera,
        rules=(TriggeredAction(After(delay), (Show("DroppingBall"), Released("DroppingBall"))),),
        parameters={"delay": delay, "wood": wood, "mirrored": int(is_mirrored), "degrees": degrees},
    )


def _balls(draw: CollisionDraw, label: str, profile: Profile) -> tuple[Body, Body]:
    """The two balls. Published: the struck one is secretly heavy. Corrected: both are equal; it is fixed in place."""
    is_stuck = label == "implausible"
    # Published: 0.1 m from the foot, where the ball would land on the other from above.
    from_foot = 0.1 if profile == "faithful" else 0.25
    height = BOTTOM + math.tan(draw.slope) * 3.0 + 0.15
    return (
        ball(
            "DroppingBall",
            DIAMETER,
            (MIDDLE + draw.side * 1.3, height, DEPTH),
            draw.dropping,
            motion="free",
            is_held=True,
            is_visible=False,
            friction=0.0,
        ),
        ball(
            "StationaryBall",
            DIAMETER,
            (MIDDLE - draw.side * from_foot, BOTTOM + 0.15, DEPTH),
            draw.waiting,
            motion="guided" if is_stuck and profile != "faithful" else "free",
            bounce=REBOUND if is_stuck and profile != "faithful" else 0.0,
            mass=UNMOVABLE if is_stuck and profile == "faithful" else 1.0,
        ),
    )


def _box(wood: str, side: int) -> tuple[Body, ...]:
    """The box around the balls; a curtain hides where the first ball drops onto the plank."""
    return (
        board("Curtain", (MIDDLE + side * 1.2, 11.726, -0.635), (0.6, 3, 0.01), wood, role="curtain"),
        board("Box/Bottom", (MIDDLE, BOTTOM, DEPTH), (3, 0.1, 0.9), wood, role="floor"),
        board("Box/Left", (2.361, 11.726, DEPTH), (0.1, 2.8, 0.9), wood),
        board("Box/Right", (5.261, 11.726, DEPTH), (0.1, 2.8, 0.9), wood),
        board("Box/Top", (MIDDLE, 13.176, DEPTH), (3, 0.1, 0.9), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (3, 3, 0.1), "Pole"),
    )
