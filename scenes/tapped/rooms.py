"""The rooms in which objects are tapped, and their lights. Sounds depend on neither."""

import math

import numpy as np

from scenes.scene import Body, Box, Camera, Colour, Light, Plane, Vector

CAMERA = Camera((0.0, -8.0, 4.4), (0.0, 0.0, 0.85), height_angle=34.0)
HALF_TURN = math.sqrt(0.5)
SPINES: tuple[Colour, ...] = ((0.52, 0.30, 0.28), (0.34, 0.42, 0.50), (0.62, 0.56, 0.44), (0.36, 0.45, 0.38))


def study() -> tuple[Body, ...]:
    """A desk before a wall with a shelf of books."""
    available = Box(
        name="Shelf", size=(11.0, 1.2, 0.18), position=(-1.0, 8.3, 2.0), material="Wood02", role="furniture"
    )
    books = [
        Box(
            name=f"Shelf/Book{number}",
            size=(0.34, 0.9, 1.25 + 0.3 * math.sin(2.4 * number)),
            position=(-5.6 + 0.42 * number, 8.3, 2.09 + (1.25 + 0.3 * math.sin(2.4 * number)) / 2),
            colour=SPINES[(number * 7 // 3) % len(SPINES)],
            role="furniture",
        )
        for number in range(16)
    ]
    return (_table("Plywood"), _wall((0.80, 0.84, 0.90)), available, *books)


def kitchen() -> tuple[Body, ...]:
    """A dark worktop before a wall with two rows of tiles."""
    tiles = [
        Plane(
            name=f"Tile{row}.{column}",
            size=(1.42, 1.42, 0.0),
            position=(-8.25 + 1.5 * column, 8.95, 0.72 + 1.5 * row),
            colour=((0.90, 0.93, 0.91), (0.66, 0.78, 0.76))[(row + column) % 2],
            material="Shiny",
            role="furniture",
            orientation=(HALF_TURN, HALF_TURN, 0.0, 0.0),
        )
        for row in range(2)
        for column in range(12)
    ]
    return (_table("WoodTableWorn"), _wall((0.95, 0.90, 0.78)), *tiles)


ROOMS = {"study": study, "kitchen": kitchen}


def lights_of(name: str) -> tuple[Light, ...]:
    """Fill light and a sun: a low sun on the right, or a lamp above; () for the usual ones, of a window on the left."""
    if name == "evening":
        fill, sun = _light((0.6, 0.8, -0.25), (0.30, 0.32, 0.38)), _light((-0.62, 0.5, -0.66), (0.60, 0.49, 0.36))
    elif name == "lamp":
        fill, sun = _light((-0.5, 0.8, -0.3), (0.35, 0.34, 0.32)), _light((0.10, 0.30, -1.0), (0.54, 0.51, 0.46))
    else:
        return ()
    return (fill, Light(sun.direction, sun.colour, is_sun=True))


def _light(direction: Vector, colour: Colour) -> Light:
    x, y, z = np.array(direction) / np.linalg.norm(direction)
    return Light((float(x), float(y), float(z)), colour)


def _table(material: str) -> Box:
    return Box(
        name="Table", size=(30.0, 16.0, 1.0), position=(0.0, 1.5, -0.5), material=material, role="table", friction=0.5
    )


def _wall(colour: Colour) -> Plane:
    return Plane(
        name="Wall",
        size=(40.0, 20.0, 0.0),
        position=(0.0, 9.0, 6.0),
        material="Plaster",
        role="room",
        orientation=(HALF_TURN, HALF_TURN, 0.0, 0.0),
        colour=colour,
    )
