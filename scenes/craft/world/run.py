"""Results of simulations: the things before and after, the events and, if wanted, all poses."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.craft.world.events import CollisionEvent
from scenes.craft.world.thing import Thing

STEPS = 600
RATE = 60  # steps a second


@dataclass(frozen=True)
class SimulatedRun:
    """`events` are in the order in which they became known, without start and end; `poses` are optional.

    `poses` has one row for each step: (steps, dynamic things in order of creation, x y angle).
    """

    start: tuple[Thing, ...]  # in order of creation
    end: tuple[Thing, ...]
    events: tuple[CollisionEvent, ...]
    poses: NDArray[np.float64] | None = None

    def thing(self, uid: int) -> Thing:
        """The thing's state at the start."""
        return next(thing for thing in self.start if thing.uid == uid)

    @property
    def dynamic(self) -> tuple[Thing, ...]:
        return tuple(thing for thing in self.start if thing.is_dynamic)


@dataclass(frozen=True)
class Case:
    """The run, and the run without each of the dynamic things, by uid."""

    original: SimulatedRun
    without: Mapping[int, SimulatedRun]
