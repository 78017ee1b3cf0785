"""Two/Three/FourObjectOrdering: a row of balls and cubes on a table, named from left to right."""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators.room import at, room, table
from scenes.scene import Box, Camera, Colour, Profile, Scene, Sphere

HEIGHT, DEPTH, SIZE = 11.224, -4.948, 2.0  # metres
# 45 degrees downwards; the focus is where that line meets the plane of the objects.
CAMERA = Camera(at(3.745, 16.421, -11.263), at(3.745, 16.421 - 6.315, -11.263 + 6.315))
PALETTE: dict[str, Colour] = {
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "black": (0.0, 0.0, 0.0),
    "white": (1.0, 1.0, 1.0),
}
# The published generator draws from seven names, two of which have no colour of their own.
PUBLISHED_NAMES = ("red", "green", "blue", "black", "white", "white", "white")
# In the order in which the published generator names them: of three objects the middle one comes first.
SLOTS = {2: (1.5, 6.0), 3: (3.745, 0.5, 7.0), 4: (-0.75, 2.25, 5.25, 8.25)}


@dataclass(frozen=True)
class OrderedObject:
    colour: str
    shape: str
    x: float

    @property
    def name(self) -> str:
        return f"{self.colour} {self.shape}"


def ordering(count: int, test: str) -> Callable[[Generator, str, Profile], Scene]:
    """The scene function for this many objects; it chooses the label at random and ignores its argument `label`."""

    def draw(rng: Generator, label: str, profile: Profile) -> Scene:
        things = _distinct(rng, count, PUBLISHED_NAMES if profile == "faithful" else tuple(PALETTE))
        if profile != "faithful":
            things = sorted(things, key=lambda thing: thing.x)
        names = ",".join(thing.name for thing in things)
        return Scene(
            test=test,
            label=names,
            bodies=(*room(), *table(3.745, -4.850), *(_body(thing, place) for place, thing in enumerate(things))),
            camera=CAMERA,
            parameters={"objects": names},
        )

    return draw


def _distinct(rng: Generator, count: int, names: tuple[str, ...]) -> list[OrderedObject]:
    """Objects with distinct names, by rejection sampling."""
    while True:
        things = [
            OrderedObject(names[int(rng.integers(len(names)))], ("ball", "cube")[int(rng.integers(2))], x)
            for x in SLOTS[count]
        ]
        if len({thing.name for thing in things}) == count:
            return things


def _body(thing: OrderedObject, place: int) -> Sphere | Box:
    kind = Sphere if thing.shape == "ball" else Box
    return kind(
        name=f"Object{place + 1}",
        size=(SIZE,) * 3,
        position=at(thing.x, HEIGHT, DEPTH),
        role="object",
        colour=PALETTE[thing.colour],
        material="Shiny",
    )
