"""The parts of a layout: fixed parts and movable things. Angles in radians, lengths in metres."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scenes.craft.world.chance import Chance

LOW = -1.2  # y of a basket on the ground


@dataclass(frozen=True)
class Fixed:
    """A part that never moves."""

    shape: str
    x: float
    y: float
    angle: float = 0.0


@dataclass(frozen=True)
class Spawn:
    """A thing released with this velocity; missing looks are chosen at random so that no two things look alike."""

    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0
    shape: str = ""
    size: str = ""
    colour: str = ""
    is_left_out_when_alike: bool = False  # the original silently leaves it out if another thing looks like it


Part = Fixed | Spawn
Layout = Callable[[Chance], Iterator[Part]]


def basket(x: float, y: float = LOW) -> Fixed:
    return Fixed("basket", x, y)


def platform(x: float, y: float, angle: float = 0.0) -> Fixed:
    return Fixed("platform", x, y, angle)


def ramp(x: float, y: float, angle: float = 0.0) -> Fixed:
    return Fixed("ramp", x, y, angle)


def ball(x: float, y: float) -> Fixed:
    return Fixed("static_ball", x, y)


def circle(x: float, y: float, vx: float = 0.0, vy: float = 0.0) -> Spawn:
    return Spawn(x, y, vx, vy, shape="circle")
