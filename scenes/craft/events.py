"""Contacts -> events, by the benchmark's rules. Time is the number of steps completed."""

from collections.abc import Hashable
from dataclasses import dataclass

START, END = "Start", "End"
COLLISION, TOUCH, TOUCH_END, ENTER = "Collision", "StartTouching", "EndTouching", "ContainerEndUp"
LONGEST_COLLISION = 20  # steps, a third of a second: what lasts longer is a touch
Pair = tuple[int, int]


@dataclass(frozen=True)
class Event:
    """Something that happened to these two things; `step` is when the contact began, of a touch's end when it ended."""

    step: int
    type: str
    objects: tuple[int, ...] = ()


class Watch:
    """Turns the contacts of one run into events, kept in the order in which they became known."""

    def __init__(self) -> None:
        self.step = 0
        self.events: list[Event] = []
        self._pending: dict[Hashable, tuple[int, Pair]] = {}  # in the order in which they began
        self._touching: dict[Hashable, Pair] = {}

    def begin(self, contact: Hashable, objects: Pair) -> None:
        self._pending[contact] = (self.step, objects)

    def enter(self, basket: int, thing: int) -> None:
        """Any overlap counts, and each time anew: nothing has to be wholly inside, or to stay."""
        self.events.append(Event(self.step, ENTER, (basket, thing)))

    def end(self, contact: Hashable) -> None:
        if contact in self._touching:
            self.events.append(Event(self.step, TOUCH_END, self._touching.pop(contact)))
        elif contact in self._pending:
            began, objects = self._pending.pop(contact)
            self.events.append(Event(began, COLLISION, objects))

    def tick(self) -> None:
        """A step is done: contacts that have lasted too long for a collision are touches."""
        self.step += 1
        while self._pending:
            contact, (began, objects) = next(iter(self._pending.items()))
            if self.step - began <= LONGEST_COLLISION:
                return
            del self._pending[contact]
            self._touching[contact] = objects
            self.events.append(Event(began, TOUCH, objects))
