"""Shape and Color: one object alone on a table."""

from numpy.random import Generator

from scenes.generators.room import at, room, table
from scenes.scene import Box, Camera, Colour, Profile, Scene, Sphere

TABLE_TOP = 10.224
CAMERA = Camera(at(9.626, 15.506, -4.028), at(6.380, 11.224, -6.970))
COLOURS: dict[str, Colour] = {
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "black": (0.0, 0.0, 0.0),
}


def shape(rng: Generator, label: str, profile: Profile) -> Scene:
    """A black ball or cube; the paper leaves the colour open, and black gives nothing away."""
    return _lone_object(rng, "Shape", label, Sphere if label == "ball" else Box, "black")


def color(rng: Generator, label: str, profile: Profile) -> Scene:
    return _lone_object(rng, "Color", label, Sphere, label)


def _lone_object(rng: Generator, test: str, label: str, kind: type[Sphere] | type[Box], colour: str) -> Scene:
    size = float(rng.uniform(0.8, 2.0))
    x = -1.908 + (9.400 + 1.908) * float(rng.uniform(0.2, 0.8))
    depth = -12.140 + (-5.109 + 12.140) * float(rng.uniform(0.2, 0.8))
    thing = kind(
        name="Object",
        size=(size,) * 3,
        position=at(x, TABLE_TOP + size / 2, depth),
        role="object",
        colour=COLOURS[colour],
        material="Shiny",
    )
    return Scene(
        test=test,
        label=label,
        bodies=(*room(), *table(3.745, -8.630), thing),
        camera=CAMERA,
        parameters={"size": size, "x": x, "depth": depth, "colour": colour},
    )
