"""Shapes with a common name, each composed of boxes, cylinders and balls around one solid hull.

Lengths are relative: the parts' volumes add up to `volume`, and `scaled` makes it 1, so that a material weighs the same
in every shape. Only the hull has contacts; the parts follow it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from scenes.scene import UPRIGHT, Quaternion, Vector

Kind = Literal["box", "cylinder", "sphere"]
STAVES = 20  # boxes that make a round wall


@dataclass(frozen=True)
class Part:
    """A piece of an object, with its centre relative to the hull's; `tone` multiplies the object's colour."""

    kind: Kind
    size: Vector
    place: Vector
    turn: Quaternion = UPRIGHT
    tone: float = 1.0

    @property
    def volume(self) -> float:
        x, y, z = self.size
        return x * y * z * {"box": 1.0, "cylinder": math.pi / 4, "sphere": math.pi / 6}[self.kind]


@dataclass(frozen=True)
class NamedShape:
    """`hull` is solid; a stick taps at `tapped_at`, relative to the hull's centre."""

    hull: Kind
    size: Vector
    parts: tuple[Part, ...]
    tapped_at: Vector


def scaled(shape: NamedShape) -> NamedShape:
    """The shape in the size in which its parts have a volume of 1."""
    by = sum(part.volume for part in shape.parts) ** (-1 / 3)
    parts = tuple(replace(one, size=_by(one.size, by), place=_by(one.place, by)) for one in shape.parts)
    return NamedShape(shape.hull, _by(shape.size, by), parts, _by(shape.tapped_at, by))


def _by(vector: Vector, factor: float) -> Vector:
    x, y, z = vector
    return (x * factor, y * factor, z * factor)


def _moved(part: Part, right: float, up: float) -> Part:
    return replace(part, place=(part.place[0] + right, part.place[1], part.place[2] + up))


def upright(degrees: float) -> Quaternion:
    """A turn about the vertical axis."""
    half = math.radians(degrees) / 2
    return (math.cos(half), 0.0, 0.0, math.sin(half))


def _disc(diameter: float, height: float, bottom: float, *, floor: float, tone: float = 1.0) -> Part:
    """A cylinder on the axis whose underside is at this height above the hull's underside."""
    return Part("cylinder", (diameter, diameter, height), (0.0, 0.0, floor + bottom + height / 2), tone=tone)


def _wall(diameter: float, thick: float, height: float, bottom: float, *, floor: float) -> tuple[Part, ...]:
    """A round wall of staves."""
    radius, width = (diameter - thick) / 2, math.tan(math.pi / STAVES) * diameter
    parts = []
    for number in range(STAVES):
        angle = 2 * math.pi * (number + 0.5) / STAVES
        place = (radius * math.cos(angle), radius * math.sin(angle), floor + bottom + height / 2)
        parts.append(Part("box", (thick, width, height), place, upright(math.degrees(angle))))
    return tuple(parts)


def _mug() -> NamedShape:
    width, height, wall, thick = 1.25, 1.36, 0.13, 0.16
    floor, out = -height / 2, width / 2
    handle = (
        Part("box", (0.42, thick, thick), (out + 0.15, 0.0, 0.36)),
        Part("box", (0.42, thick, thick), (out + 0.15, 0.0, -0.30)),
        Part("box", (thick, thick, 0.66 + thick), (out + 0.36, 0.0, 0.03)),
    )
    parts = (
        _disc(width - 0.04, 0.15, 0.0, floor=floor),
        *_wall(width, wall, height, 0.0, floor=floor),
        _disc(width - 2 * wall + 0.02, 0.02, 0.16, floor=floor, tone=0.5),
        *handle,
    )
    return NamedShape("cylinder", (width, width, height), parts, (0.0, -(width - wall) / 2, height / 2))


def _bottle() -> NamedShape:
    height, width = 2.45, 0.86
    floor = -height / 2
    steps = ((0.80, 0.09), (0.70, 0.09), (0.58, 0.09), (0.46, 0.09))
    shoulder, at = [], 1.45
    for across, tall in steps:
        shoulder.append(_disc(across, tall, at, floor=floor))
        at += tall
    parts = (
        _disc(width, 1.45, 0.0, floor=floor),
        *shoulder,
        _disc(0.34, 0.44, at, floor=floor),
        _disc(0.42, height - at - 0.44, at + 0.44, floor=floor, tone=0.55),
        _disc(width + 0.012, 0.62, 0.42, floor=floor, tone=0.72),
    )
    return NamedShape("cylinder", (width, width, height), parts, (0.0, 0.0, height / 2))


def _plate() -> NamedShape:
    width, height = 2.3, 0.26
    floor = -height / 2
    parts = (
        _disc(1.2, 0.08, 0.0, floor=floor, tone=0.8),
        _disc(1.6, 0.08, 0.08, floor=floor),
        *_wall(1.9, 0.24, 0.10, 0.10, floor=floor),
        *_wall(width, 0.28, 0.10, 0.16, floor=floor),
        _disc(1.42, 0.01, 0.155, floor=floor, tone=0.82),
    )
    return NamedShape("cylinder", (width, width, height), parts, (0.0, 0.0, floor + 0.165))


def _brick() -> NamedShape:
    x, y, z = 1.95, 0.95, 0.62
    holes = tuple(
        Part("cylinder", (0.36, 0.36, 0.02), (side * 0.58, 0.0, z / 2 - 0.005), tone=0.35) for side in (-1, 0, 1)
    )
    return NamedShape("box", (x, y, z), (Part("box", (x, y, z), (0.0, 0.0, 0.0)), *holes), (0.0, -y / 4, z / 2))


def _can() -> NamedShape:
    width, height = 0.92, 1.5
    floor = -height / 2
    parts = (
        _disc(width - 0.05, height - 0.04, 0.02, floor=floor),
        _disc(width, 0.07, 0.0, floor=floor, tone=0.8),
        *_wall(width, 0.06, 0.07, height - 0.07, floor=floor),
        _disc(width - 0.05, 0.02, height - 0.055, floor=floor, tone=0.7),
        _disc(width - 0.035, 0.5, 0.5, floor=floor, tone=0.72),
    )
    return NamedShape("cylinder", (width, width, height), parts, (0.0, 0.0, height / 2 - 0.035))


def _ball() -> NamedShape:
    width = 1.24
    band = Part("cylinder", (1.006 * width, 1.006 * width, 0.16), (0.0, 0.0, 0.0), _tipped(62.0), tone=0.6)
    other = Part("cylinder", (1.006 * width, 1.006 * width, 0.16), (0.0, 0.0, 0.0), _tipped(-28.0), tone=0.6)
    return NamedShape(
        "sphere", (width,) * 3, (Part("sphere", (width,) * 3, (0.0, 0.0, 0.0)), band, other), (0.0, 0.0, width / 2)
    )


def _tipped(degrees: float) -> Quaternion:
    """A turn about the axis from left to right."""
    half = math.radians(degrees) / 2
    return (math.cos(half), math.sin(half), 0.0, 0.0)


def _book() -> NamedShape:
    x, y, z, board = 1.5, 1.9, 0.38, 0.05
    parts = (
        Part("box", (x, y, board), (0.0, 0.0, (z - board) / 2)),
        Part("box", (x, y, board), (0.0, 0.0, (board - z) / 2)),
        Part("box", (0.06, y, z), ((0.06 - x) / 2, 0.0, 0.0)),
        Part("box", (x - 0.12, y - 0.12, z - 2 * board), (0.0, 0.0, 0.0), tone=1.5),
        Part("box", (x * 0.55, 0.26, 0.01), (0.02, 0.35, z / 2), tone=0.6),
    )
    return NamedShape("box", (x, y, z), parts, (0.0, -0.3, z / 2))


def _spoon() -> NamedShape:
    length, width, height, thick = 3.0, 1.15, 0.44, 0.3
    floor, bowl = -height / 2, (width - length) / 2
    depths = ((0.62, 0.0), (0.88, 0.09), (1.05, 0.18))
    layers = [Part("cylinder", (w, w, 0.1), (bowl, 0.0, floor + at + 0.05)) for w, at in depths]
    rim = [_moved(one, bowl, 0.0) for one in _wall(width, 0.12, 0.2, 0.22, floor=floor)]
    middle = floor + 0.42 - thick / 2
    handle = Part("box", (length - width, 0.3, thick), (width / 2 - 0.1, 0.0, middle))
    end = Part("cylinder", (0.5, 0.5, thick), (length / 2 - 0.25, 0.0, middle))
    hollow = Part("cylinder", (width - 0.22, width - 0.22, 0.01), (bowl, 0.0, floor + 0.285), tone=0.6)
    return NamedShape("box", (length, width, height), (*layers, *rim, handle, end, hollow), (bowl, 0.0, floor + 0.29))


def _tile() -> NamedShape:
    x, z = 1.95, 0.26
    parts = (
        Part("box", (x, x, z - 0.04), (0.0, 0.0, -0.02)),
        Part("box", (x - 0.16, x - 0.16, 0.04), (0.0, 0.0, z / 2 - 0.02)),
        Part("box", (1.0, 1.0, 0.01), (0.0, 0.0, z / 2), upright(45.0), tone=0.55),
        Part("box", (0.5, 0.5, 0.014), (0.0, 0.0, z / 2), upright(45.0), tone=1.3),
    )
    return NamedShape("box", (x, x, z), parts, (0.0, 0.0, z / 2))


def _cushion() -> NamedShape:
    x, y, thick = 1.75, 1.45, 0.44
    half_x, half_y = (x - thick) / 2, (y - thick) / 2
    lengthwise, across = _turned_to("x"), _turned_to("y")
    parts = (
        Part("box", (2 * half_x, 2 * half_y, thick), (0.0, 0.0, 0.0)),
        *(Part("cylinder", (thick, thick, 2 * half_x), (0.0, side * half_y, 0.0), lengthwise) for side in (-1, 1)),
        *(Part("cylinder", (thick, thick, 2 * half_y), (side * half_x, 0.0, 0.0), across) for side in (-1, 1)),
        *(Part("sphere", (thick,) * 3, (a * half_x, b * half_y, 0.0)) for a in (-1, 1) for b in (-1, 1)),
        *(
            Part("box", (2 * half_x - cut, 2 * half_y - cut, 0.04), (0.0, 0.0, thick / 2 + up))
            for cut, up in ((0.1, 0.01), (0.4, 0.04), (0.75, 0.065))
        ),
        Part("cylinder", (0.16, 0.16, 0.03), (0.0, 0.0, thick / 2 + 0.09), tone=0.55),
    )
    top = thick / 2 + 0.105
    lowered = tuple(_moved(one, 0.0, thick / 2 - top) for one in parts)
    return NamedShape("box", (x, y, 2 * top), lowered, (0.0, -0.2, top - 0.03))


def _turned_to(axis: str) -> Quaternion:
    """The turn that lays a standing cylinder along x or y."""
    half = math.sqrt(0.5)
    return (half, 0.0, half, 0.0) if axis == "x" else (half, half, 0.0, 0.0)


MADE: dict[str, Callable[[], NamedShape]] = {
    "mug": _mug,
    "bottle": _bottle,
    "plate": _plate,
    "brick": _brick,
    "can": _can,
    "ball": _ball,
    "book": _book,
    "spoon": _spoon,
    "tile": _tile,
    "cushion": _cushion,
}


@cache
def named_shape(name: str) -> NamedShape:
    return scaled(MADE[name]())
