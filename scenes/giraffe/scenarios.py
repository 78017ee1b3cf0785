"""The ten scenarios by name, and their puzzles: each drawn from (seed, scenario, number), no two alike.

Eight are named in the paper; colour change and size change are ours, for the two that it leaves unnamed.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from scenes.giraffe import clock, colour, number, quantity, rotation, shadow, size, snake, tetris, trajectory
from scenes.giraffe.puzzle import Puzzle, TooFew

SCENARIOS: dict[str, Callable[[Generator], Puzzle]] = {
    "clock": clock.draw,
    "snake": snake.draw,
    "quantity": quantity.draw,
    "number": number.draw,
    "rotation": rotation.draw,
    "trajectory": trajectory.draw,
    "tetris": tetris.draw,
    "shadow": shadow.draw,
    "colour": colour.draw,
    "size": size.draw,
}
MOST = 300  # puzzles in each scenario; with more, few new ones would be left
TRIES = 2000


def puzzle(scenario: str, seed: int, place: int) -> Puzzle:
    """The puzzle with this index, from 0; the same for the same seed, and different from all before it."""
    return _first(scenario, seed, place + 1)[place]


@lru_cache(maxsize=64)
def _drawn(scenario: str, seed: int) -> list[Puzzle]:
    """The cached puzzles so far, to which later calls append."""
    return []


def _first(scenario: str, seed: int, count: int) -> list[Puzzle]:
    drawn = _drawn(scenario, seed)
    known: set[object] = {part for one in drawn for part in (one.images, one.pattern)}
    while len(drawn) < count:
        found = _new(scenario, seed, len(drawn), known)
        known |= {found.images, found.pattern}
        drawn.append(found)
    return drawn


def _new(scenario: str, seed: int, place: int, known: set[object]) -> Puzzle:
    """The first draw for this index that fits into a picture and differs from all before it."""
    which = list(SCENARIOS).index(scenario)
    for attempt in range(TRIES):
        try:
            found = SCENARIOS[scenario](np.random.default_rng([seed, which, place, attempt]))
        except TooFew:
            continue
        if found.images not in known and found.pattern not in known:
            return found
    raise TooFew(f"{scenario}: nothing new is left to be drawn after {place} puzzles")
