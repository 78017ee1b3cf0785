"""Rules that choose one of four pictures without the pattern, each by its index; of equal choices the first."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.int16]  # [pictures, edge, edge, 3], from 0 to 255
SAME = 60  # of 255


@dataclass(frozen=True)
class ShownAndChoices:
    """The pixels of the shown pictures and of the choices, and what several rules need of them."""

    shown: Pixels
    choices: Pixels

    @cached_property
    def between(self) -> NDArray[np.float64]:
        """How unlike each choice is to each, [choices, choices]."""
        return apart(self.choices, self.choices)

    @cached_property
    def from_shown(self) -> NDArray[np.float64]:
        """How unlike each choice is to each shown picture, [choices, shown]."""
        return apart(self.choices, self.shown)

    @cached_property
    def repeats(self) -> NDArray[np.bool_]:
        return repeated(self.shown, self.choices)

    @cached_property
    def left(self) -> list[int]:
        """Places of the choices that repeat no shown picture; all if each does."""
        return [place for place, again in enumerate(self.repeats) if not again] or list(range(len(self.choices)))


Rule = Callable[[ShownAndChoices], int]


def apart(one: Pixels, other: Pixels) -> NDArray[np.float64]:
    """Mean difference of each picture of one from each of the other, [one, other]."""
    return np.abs(one[:, None] - other[None]).mean(axis=(2, 3, 4))


def repeated(shown: Pixels, choices: Pixels) -> NDArray[np.bool_]:
    """Whether each choice looks like a shown picture, [choices]; edges may differ slightly."""
    return np.abs(choices[:, None] - shown[None]).max(axis=(2, 3, 4)).min(axis=1) <= SAME


def ink(pictures: Pixels) -> NDArray[np.float64]:
    return (255 - pictures).mean(axis=(1, 2, 3))


def most_common_colour(one: ShownAndChoices) -> int:
    """The choice with most of the choices' most common colour, without white."""
    colours = one.choices.reshape(len(one.choices), -1, 3).astype(float)
    codes = (colours @ [65536, 256, 1]).astype(int)  # one number per colour: sorting rows takes ten times as long
    every, counts = np.unique(codes, return_counts=True)
    counts[np.minimum(np.minimum(every >> 16, every >> 8 & 255), every & 255) > 200] = 0
    return int(np.argmax((codes == every[np.argmax(counts)]).sum(axis=1)))


def of_those_left(score: Callable[[ShownAndChoices, list[int]], NDArray[np.float64]]) -> Rule:
    """The rule limited to choices that repeat no shown picture; `score` gets their places."""
    return lambda one: one.left[int(np.argmax(score(one, one.left)))]


def unlike_others(one: ShownAndChoices, places: list[int]) -> NDArray[np.float64]:
    return one.between[np.ix_(places, places)].sum(axis=1)


RULES: dict[str, Rule] = {
    "first": lambda one: 0,
    "last": lambda one: len(one.choices) - 1,
    "most like the others": lambda one: int(np.argmin(one.between.sum(axis=1))),
    "least like the others": lambda one: int(np.argmax(one.between.sum(axis=1))),
    "repeats a shown one": lambda one: int(np.argmax(one.repeats)),
    "new, most like the others": of_those_left(lambda one, places: -unlike_others(one, places)),
    "new, least like the others": of_those_left(unlike_others),
    "new, most like the last shown": of_those_left(lambda one, places: -one.from_shown[places, -1]),
    "new, least like the last shown": of_those_left(lambda one, places: one.from_shown[places, -1]),
    "new, most like all shown": of_those_left(lambda one, places: -one.from_shown[places].mean(axis=1)),
    "most common colour": most_common_colour,
    "most ink": lambda one: int(np.argmax(ink(one.choices))),
    "least ink": lambda one: int(np.argmin(ink(one.choices))),
}
