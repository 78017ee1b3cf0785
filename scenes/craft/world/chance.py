"""Source of a scene's numbers: random, or at an end or the middle of their ranges as in the paper's Figure 2."""

from collections.abc import Sequence
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
