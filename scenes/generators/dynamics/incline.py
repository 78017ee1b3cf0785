"""Tilted planks, for the tests with balls on a slope."""

import math

from scenes.generators.room import at
from scenes.scene import Box, Vector

THICKNESS = 0.01  # metres


def plank(centre: Vector, length: float, depth: float, *, angle: float, side: int, wood: str, role: str) -> Box:
    """A frictionless plank tilted by `angle` radians; its high end is on the right for side 1, on the left for -1.

    `centre` is as in the published tables.
    """
    half = -side * angle / 2  # the published tables have left-handed axes, so they turn the other way
    return Box(
        name="Plank",
        position=at(*centre),
        size=(length, depth, THICKNESS),
        material=wood,
        role=role,
        friction=0.0,
        orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
    )
