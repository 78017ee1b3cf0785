"""The ten scenarios by name, and their puzzles: each drawn from (seed, scenario, number), no two alike.

Eight are named in the paper; colour change and size change are ours, for the two that it leaves unnamed.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from scenes.giraffe.balance import PlaceTally, Shares, balanced
from scenes.giraffe.puzzle import Puzzle, TooFew
from scenes.giraffe.puzzles import clock, colour, number, quantity, rotation, shadow, size, snake, tetris, trajectory

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
MOST = 300  # puzzles in each scenario; with more, too few different ones would remain
TRIES = 2000
WEIGHED = 3  # draws per item; the one that leaves the tally most even is taken
BEYOND = 2  # pictures that must follow the first round of pictures that take turns


def puzzle(scenario: str, seed: int, place: int) -> Puzzle:
    """The puzzle with this index, from 0; the same for the same seed, and different from all before it."""
    return _first(scenario, seed, place + 1)[place]


@lru_cache(maxsize=64)
def _cached_puzzles(scenario: str, seed: int) -> tuple[list[Puzzle], PlaceTally, set[object]]:
    """The puzzles so far, to which later calls append, the places of their right pictures, and images and patterns."""
    return [], PlaceTally(), set()


def _first(scenario: str, seed: int, count: int) -> list[Puzzle]:
    puzzles, tally, known = _cached_puzzles(scenario, seed)
    while len(puzzles) < count:
        found = _balanced(scenario, seed, len(puzzles), known, tally)
        known |= {found.images, found.pattern}
        puzzles.append(found)
    return puzzles


def _draws(scenario: str, seed: int, place: int, known: set[object]) -> Iterator[tuple[np.random.Generator, Puzzle]]:
    """Draws for this index that fit into a picture and differ from all before, each with its random numbers."""
    which = list(SCENARIOS).index(scenario)
    for attempt in range(TRIES):
        rng = np.random.default_rng([seed, which, place, attempt])
        try:
            found = SCENARIOS[scenario](rng)
        except TooFew:
            continue
        if found.images not in known and found.pattern not in known:
            yield rng, found


def _balanced(scenario: str, seed: int, place: int, known: set[object], tally: PlaceTally) -> Puzzle:
    """The draw, of the first few for this index, whose choices leave the tally most even; it is added to the tally."""
    offers: list[tuple[float, Puzzle, Shares]] = []
    for rng, found in _draws(scenario, seed, place, known):
        if shows_its_turns(found):
            with suppress(TooFew):
                offers.append(balanced(rng, found, tally))
        if len(offers) == WEIGHED:
            break
    if not offers:
        raise TooFew(f"{scenario}: nothing new is left to be drawn after {place} puzzles")
    _, best, added = min(offers, key=lambda offer: offer[0])
    tally.add(added)
    return best


def shows_its_turns(one: Puzzle) -> bool:
    """Whether enough is shown beyond the first round of pictures that take turns; True for all other puzzles."""
    row = (*one.images, one.following)
    rounds = [length for length in range(1, len(row)) if row[length:] == row[:-length]]
    return not rounds or len(one.images) - rounds[0] >= BEYOND
