"""Contacts -> events, by the benchmark's rules; time is the number of completed steps."""

from collections.abc import Hashable
from dataclasses import dataclass

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
