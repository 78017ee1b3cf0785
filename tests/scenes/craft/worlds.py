"""Small worlds of CRAFT for the tests."""

import math
from typing import Any

from scenes.craft.world.catalogue import BLACK
from scenes.craft.world.run import Case, CollisionEvent, SimulatedRun, Thing

FLOOR = -4.8  # height of the ground's surface


def fixed(uid: int, shape: str, x: float = 0.0, y: float = 0.0) -> Thing:
    return Thing(uid, shape, "large", BLACK, (x, y), 0.0)


def thing(uid: int, shape: str = "cube", colour: str = "red", size: str = "small", **state: Any) -> Thing:
    lying: dict[str, Any] = {"position": (0.0, 0.0), "angle": math.pi}
    return Thing(uid, shape, size, colour, **lying | state)


def dropped(gap: float) -> tuple[Thing, ...]:
    """The ground and a small cube this far above it."""
    return fixed(1, "ground"), thing(0, position=(0.0, FLOOR + 1 + gap))


BASKET, GROUND = 10, 9
FRAME = (fixed(12, "wall_l"), fixed(11, "wall_r"), fixed(GROUND, "ground"), fixed(BASKET, "basket", y=-1.2))


def told(things: tuple[Thing, ...], *events: tuple, end: tuple[Thing, ...] | None = None) -> SimulatedRun:
    """A run in which these events happened, each (step, type, uid, uid)."""
    return SimulatedRun(
        (*FRAME, *things),
        (*FRAME, *(end or things)),
        tuple(CollisionEvent(step, kind, tuple(o)) for step, kind, *o in events),
    )


def told_case(original: SimulatedRun, without: dict[int, tuple[tuple, ...]]) -> Case:
    """A case of this original and the events of each variation."""
    rest = {
        uid: told(tuple(one for one in original.dynamic if one.uid != uid), *events) for uid, events in without.items()
    }
    return Case(original, rest)
