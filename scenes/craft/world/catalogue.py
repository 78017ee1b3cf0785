"""CRAFT's building blocks: shapes in metres, colours, one material, and the visible window."""

import math
from dataclasses import dataclass
from functools import cache

from scenes.scene import Colour

Point = tuple[float, float]

DYNAMIC_SHAPES = ("cube", "triangle", "circle")
SIZES = ("small", "large")
COLOURS: dict[str, Colour] = {
    "gray": (87 / 255, 87 / 255, 87 / 255),
    "red": (173 / 255, 35 / 255, 35 / 255),
    "blue": (42 / 255, 75 / 255, 215 / 255),
    "green": (29 / 255, 105 / 255, 20 / 255),
    "brown": (129 / 255, 74 / 255, 25 / 255),
    "purple": (129 / 255, 38 / 255, 192 / 255),
    "cyan": (41 / 255, 208 / 255, 208 / 255),
    "yellow": (255 / 255, 238 / 255, 51 / 255),
}
BLACK = "black"  # of all fixed things

# One material for all bodies.
DENSITY, FRICTION, RESTITUTION = 50.0, 0.10, 0.20

LEFT, RIGHT, BOTTOM, TOP = -25.0, 25.0, -5.0, 45.0  # metres: the camera's view


@dataclass(frozen=True)
class Outline:
    """A shape in its body's frame: a convex polygon, an open chain of edges, or a disc of this radius."""

    points: tuple[Point, ...] = ()
    radius: float = 0.0
    is_chain: bool = False


def _box(half_width: float, half_height: float, x: float = 0.0, y: float = 0.0) -> Outline:
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return Outline(tuple((x + a * half_width, y + b * half_height) for a, b in corners))


@cache
def polygon_of(radius: float, corners: int, first: float = 0.0) -> Outline:
    """The regular polygon within this circle, with its first corner at this angle in radians."""
    turns = (first + number * 2 * math.pi / corners for number in range(corners))
    return Outline(tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns))


BELOW = -math.pi / 2  # of a triangle's first corner: every body starts rotated by π, so its apex then points up
# By shape and size. The triangles have 2 and 3: the original code says 2.5 and 3.5 but truncates the number to an
# integer, as its videos show. Its circles are polygons with 128 corners; ours are circles, except in profile
# `polygons`.
OUTLINES: dict[tuple[str, str], Outline] = {
    ("cube", "small"): _box(1, 1),
    ("cube", "large"): _box(2, 2),
    ("triangle", "small"): polygon_of(2, 3, BELOW),
    ("triangle", "large"): polygon_of(3, 3, BELOW),
    ("circle", "small"): Outline(radius=1),
    ("circle", "large"): Outline(radius=2),
    ("platform", "large"): _box(8, 0.5),
    ("ramp", "large"): Outline(((3, 0), (0, 3), (0, 0))),
    ("basket", "large"): Outline(((-3.5, 3.5), (-2.5, -3.5), (2.5, -3.5), (3.5, 3.5)), is_chain=True),
    ("static_ball", "large"): Outline(radius=3),
    ("wall_l", "large"): _box(0.2, 25, -25, 20),
    ("wall_r", "large"): _box(0.2, 25, 25, 20),
    ("ground", "large"): _box(25, 0.2, 0, -5),
}
# A thing that touches this has entered the basket.
SENSOR = Outline(((-3.3, 2.5), (-2.465, -3.465), (2.465, -3.465), (3.3, 2.5)))
