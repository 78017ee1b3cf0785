"""Rules that choose one of four pictures without the pattern.

Each gets the pixels of the shown pictures and of the choices, [pictures, edge, edge, 3] from 0 to 255, and returns the
index of its choice; of equal choices the first.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.float64]
SAME = 60  # of 255
Rule = Callable[[Pixels, Pixels], int]


def apart(one: Pixels, other: Pixels) -> NDArray[np.float64]:
    """Mean difference of each picture of one from each of the other, [one, other]."""
    return np.abs(one[:, None] - other[None]).mean(axis=(2, 3, 4))


def repeated(shown: Pixels, choices: Pixels) -> NDArray[np.bool_]:
    """Whether each choice looks like a shown picture, [choices]; edges may differ slightly."""
    return np.abs(choices[:, None] - shown[None]).max(axis=(2, 3, 4)).min(axis=1) <= SAME


def left(shown: Pixels, choices: Pixels) -> list[int]:
    """Places of the choices that repeat no shown picture; all if each does."""
    return [place for place, again in enumerate(repeated(shown, choices)) if not again] or list(range(len(choices)))


def ink(pictures: Pixels) -> NDArray[np.float64]:
    return (255 - pictures).mean(axis=(1, 2, 3))


def most_common_colour(_shown: Pixels, choices: Pixels) -> int:
    """The choice with most of the choices' most common colour, without white."""
    colours = choices.reshape(len(choices), -1, 3)
    codes = (colours @ [65536, 256, 1]).astype(int)  # one number per colour: sorting rows takes ten times as long
    every, counts = np.unique(codes, return_counts=True)
    counts[np.minimum(np.minimum(every >> 16, every >> 8 & 255), every & 255) > 200] = 0
    return int(np.argmax((codes == every[np.argmax(counts)]).sum(axis=1)))


def of_those_left(score: Callable[[Pixels, Pixels], NDArray[np.float64]]) -> Rule:
    """The rule limited to choices that repeat no shown picture."""

    def rule(shown: Pixels, choices: Pixels) -> int:
        places = left(shown, choices)
        return places[int(np.argmax(score(shown, choices[places])))]

    return rule


RULES: dict[str, Rule] = {
    "first": lambda shown, choices: 0,
    "last": lambda shown, choices: len(choices) - 1,
    "most like the others": lambda shown, choices: int(np.argmin(apart(choices, choices).sum(axis=1))),
    "least like the others": lambda shown, choices: int(np.argmax(apart(choices, choices).sum(axis=1))),
    "repeats a shown one": lambda shown, choices: int(np.argmax(repeated(shown, choices))),
    "new, most like the others": of_those_left(lambda shown, choices: -apart(choices, choices).sum(axis=1)),
    "new, least like the others": of_those_left(lambda shown, choices: apart(choices, choices).sum(axis=1)),
    "new, most like the last shown": of_those_left(lambda shown, choices: -apart(choices, shown)[:, -1]),
    "new, least like the last shown": of_those_left(lambda shown, choices: apart(choices, shown)[:, -1]),
    "new, most like all shown": of_those_left(lambda shown, choices: -apart(choices, shown).mean(axis=1)),
    "most common colour": most_common_colour,
    "most ink": lambda shown, choices: int(np.argmax(ink(choices))),
    "least ink": lambda shown, choices: int(np.argmin(ink(choices))),
}
