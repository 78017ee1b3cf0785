"""What simulations leave: the things before and after, what happened, and if asked where everything was."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.craft.events import Event
from scenes.craft.thing import Thing

STEPS = 600
RATE = 60  # steps a second


@dataclass(frozen=True)
class Run:
    """`events` in the order in which they became known, without start and end; `poses` only where they were asked for.

    `poses` has one row a step: (steps, dynamic things in order of making, x y angle).
    """

    start: tuple[Thing, ...]  # in the order of making
    end: tuple[Thing, ...]
    events: tuple[Event, ...]
    poses: NDArray[np.float64] | None = None

    def thing(self, uid: int) -> Thing:
        """As it stood at the start."""
        return next(thing for thing in self.start if thing.uid == uid)

    @property
    def dynamic(self) -> tuple[Thing, ...]:
        return tuple(thing for thing in self.start if thing.is_dynamic)


@dataclass(frozen=True)
class Case:
    """What happened, and what would have happened without each of the dynamic things, by its uid."""

    original: Run
    without: Mapping[int, Run]
