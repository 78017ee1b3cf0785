"""The parts of a layout, fixed and movable, and the source of its numbers: random, or an end or the middle of a range.

Angles in radians, lengths in metres; Figure 2 of the paper shows ends and middles.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from numpy.random import Generator

Setting = Literal["random", "min", "mean", "max"]
Choice = TypeVar("Choice")


class Chance:
    """The numbers of one scene; the ends of a range may be given in either order."""

    def __init__(self, rng: Generator, setting: Setting = "random") -> None:
        self.rng, self.setting = rng, setting

    def __call__(self, one: float, other: float) -> float:
        low, high = min(one, other), max(one, other)
        ends = {"min": low, "mean": (low + high) / 2, "max": high}
        return ends[self.setting] if self.setting in ends else self.freely(low, high)

    def freely(self, one: float, other: float) -> float:
        """A random number under every setting."""
        return float(self.rng.uniform(min(one, other), max(one, other)))

    def one_of(self, choices: Sequence[Choice]) -> Choice:
        return choices[int(self.rng.integers(len(choices)))]

    def mixed(self, choices: Sequence[Choice]) -> list[Choice]:
        return [choices[place] for place in self.rng.permutation(len(choices))]


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


def circle(x: float, y: float, vx: float = 0.0) -> Spawn:
    return Spawn(x, y, vx, shape="circle")
