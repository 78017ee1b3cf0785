"""Things, the events between them, and results of simulations: things before and after, events and, if wanted, poses.

Events follow from contacts by the benchmark's rules; time is the number of completed steps.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.craft.world.catalogue import DYNAMIC_SHAPES, OUTLINES, Outline, Point, polygon_of

MOVES = 0.001  # metres a second along either axis from which on a thing counts as moving


@dataclass(frozen=True)
class Thing:
    """A body and its state; `uid` counts down in order of creation, so that 0 is the newest."""

    uid: int
    shape: str
    size: str
    colour: str
    position: Point  # metres, y up
    angle: float  # radians, counter-clockwise
    velocity: Point = (0.0, 0.0)  # metres a second
    spin: float = 0.0  # radians a second
    is_awake: bool = True
    corners: int = 0  # of a circle; 0: it is round

    @property
    def is_dynamic(self) -> bool:
        return self.shape in DYNAMIC_SHAPES

    @property
    def is_moving(self) -> bool:
        """Whether it moves by the benchmark's rule, which ignores gravity and rotation."""
        return self.is_dynamic and max(map(abs, self.velocity)) > MOVES

    @property
    def outline(self) -> Outline:
        outline = OUTLINES[self.shape, self.size]
        return polygon_of(outline.radius, self.corners) if outline.radius and self.corners else outline


START, END = "Start", "End"
COLLISION, TOUCH, TOUCH_END, ENTER = "Collision", "StartTouching", "EndTouching", "ContainerEndUp"
LONGEST_COLLISION = 20  # steps, a third of a second; a longer contact is a touch
Pair = tuple[int, int]


@dataclass(frozen=True)
class CollisionEvent:
    """An event of these things; `step` is the start of the contact, or the end for the end of a touch."""

    step: int
    type: str
    objects: tuple[int, ...] = ()


class ContactTracker:
    """Turns the contacts of one run into events, in the order in which they become known."""

    def __init__(self) -> None:
        self.step = 0
        self.events: list[CollisionEvent] = []
        self._pending: dict[Hashable, tuple[int, Pair]] = {}  # in the order of their start
        self._touching: dict[Hashable, Pair] = {}

    def begin(self, contact: Hashable, objects: Pair) -> None:
        self._pending[contact] = (self.step, objects)

    def enter(self, basket: int, thing: int) -> None:
        """Record an entry; every overlap counts each time, even if the thing is only partly inside or does not stay."""
        self.events.append(CollisionEvent(self.step, ENTER, (basket, thing)))

    def end(self, contact: Hashable) -> None:
        if contact in self._touching:
            self.events.append(CollisionEvent(self.step, TOUCH_END, self._touching.pop(contact)))
        elif contact in self._pending:
            began, objects = self._pending.pop(contact)
            self.events.append(CollisionEvent(began, COLLISION, objects))

    def tick(self) -> None:
        """Complete a step; contacts that are too long for a collision become touches."""
        self.step += 1
        while self._pending:
            contact, (began, objects) = next(iter(self._pending.items()))
            if self.step - began <= LONGEST_COLLISION:
                return
            del self._pending[contact]
            self._touching[contact] = objects
            self.events.append(CollisionEvent(began, TOUCH, objects))


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
