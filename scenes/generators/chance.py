"""Random draws shared by many tests; all are plain numbers, so that a clip's parameters can store them."""

import colorsys

from numpy.random import Generator

from scenes.generators.room import at
from scenes.scene import Camera, Colour, Vector

WOODS = ("DarkWood", "FineGrainedWood", "Plywood", "Wood02", "Wood04", "WoodPeelingPaint", "WoodTableWorn", "WoodWall")
FRAMES_A_SECOND = 50

Range = tuple[float, float]


def hue_colour(rng: Generator) -> tuple[float, float, float]:
    """Hue, saturation and value of a strong colour, drawn as in the published tests."""
    return float(rng.uniform(0, 1)), float(rng.uniform(0.6, 1)), float(rng.uniform(0.6, 1))


def strong_colour(rng: Generator) -> Colour:
    return colorsys.hsv_to_rgb(*hue_colour(rng))


def other_colour(rng: Generator, colour: Colour) -> Colour:
    """A strong colour that is clearly different: at least 108 degrees of hue away."""
    hue = colorsys.rgb_to_hsv(*colour)[0]
    turn = float(rng.uniform(0.3, 0.7))
    _, saturation, value = hue_colour(rng)
    return colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)


def wall_tint(rng: Generator) -> Colour:
    red, green, blue = (float(rng.uniform(0, 1)) for _ in range(3))
    return (red, green, blue)


def wood(rng: Generator) -> str:
    return WOODS[int(rng.integers(len(WOODS)))]


def is_mirrored(rng: Generator) -> bool:
    return bool(rng.integers(2))


def delay(rng: Generator, lowest: float, highest: float) -> float:
    """Seconds until the first motion; the ranges count frames of a fiftieth of a second, as published."""
    return float(rng.uniform(lowest, highest)) / FRAMES_A_SECOND


def parameters(
    delay: float, speed: float, wood: str, is_mirrored: bool, **own: float | str
) -> dict[str, float | int | str]:
    """A clip's parameters: what most tests draw, then what this one draws besides."""
    return {"delay": delay, "speed": speed, "wood": wood, "mirrored": int(is_mirrored), **own}


def camera(
    rng: Generator, base: Vector, focus: Vector, *, x: Range = (0, 0), height: Range = (0, 0), depth: Range = (0, 0)
) -> Camera:
    """A camera near `base`, shifted within these ranges; points as in the published tables."""
    shift = [float(rng.uniform(*limits)) for limits in (x, height, depth)]
    return Camera(at(base[0] + shift[0], base[1] + shift[1], base[2] + shift[2]), at(*focus))
