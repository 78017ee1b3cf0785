"""The room of every test, its lamps, and boards placed as in the published tables.

The published tables (Unity) give (x, height, depth); `at` turns that into this project's (x, depth, height).
"""

import math

from scenes.scene import NO_TINT, Box, Colour, Plane, Quaternion, Sphere, Vector

FLOOR = 7.825  # metres; everything else has its published height above the floor
MIDDLE = (3.745, -8.630)
LENGTH, HEIGHT = 18.0, 10.0
HALF_TURN = math.sqrt(0.5)


def at(x: float, height: float, depth: float) -> Vector:
    """A point or a size of the published tables, in this project's order of axes."""
    return (float(x), float(depth), float(height))


def board(name: str, centre: Vector, size: Vector, material: str, *, role: str = "furniture") -> Box:
    """A board that never moves; centre and size as in the published tables."""
    return Box(name=name, position=at(*centre), size=at(*size), material=material, role=role)


def slide(name: str, centre: Vector, size: Vector, material: str, *, role: str, colour: Colour = NO_TINT) -> Box:
    """A board moved by rules; centre and size as in the published tables."""
    return Box(
        name=name, position=at(*centre), size=at(*size), material=material, role=role, colour=colour, motion="guided"
    )


def metal(name: str, centre: Vector, size: Vector, *, role: str = "occluder") -> Box:
    """A rusty sheet of metal moved by rules."""
    return slide(name, centre, size, "GreenMetalRust", role=role)


def rod(centre: Vector, size: Vector, colour: Colour) -> Box:
    return slide("Rod", centre, size, "Shiny", role="rod", colour=colour)


def held_ball(diameter: float, centre: Vector, colour: Colour, **more) -> Sphere:
    """A ball that falls or rolls freely once a rule lets it go."""
    return ball("Ball", diameter, centre, colour, motion="free", is_held=True, **more)


def ball(name: str, diameter: float, centre: Vector, colour: Colour, *, role: str = "ball", **more) -> Sphere:
    """A shiny guided ball; centre as in the published tables."""
    values = {"material": "Shiny", "motion": "guided", **more}
    return Sphere(name=name, size=(diameter,) * 3, position=at(*centre), colour=colour, role=role, **values)


def room(tint: Colour = NO_TINT, others: tuple[Colour, ...] = (NO_TINT,) * 3) -> tuple[Plane, ...]:
    """Parquet floor and four plaster walls; `tint` is for the back wall, `others` for those on the right, left and
    front."""
    x, y = MIDDLE
    half, middle = LENGTH / 2, FLOOR + HEIGHT / 2
    return (
        Plane(name="Floor", size=(LENGTH, LENGTH, 0), position=(x, y, FLOOR), material="Parquet", role="room"),
        _wall("Wall1", (x + half, y, middle), (HALF_TURN, 0, -HALF_TURN, 0), (HEIGHT, LENGTH, 0), others[0]),
        _wall("Wall2", (x - half, y, middle), (HALF_TURN, 0, HALF_TURN, 0), (HEIGHT, LENGTH, 0), others[1]),
        _wall("Wall3", (x, y + half, middle), (HALF_TURN, HALF_TURN, 0, 0), (LENGTH, HEIGHT, 0), tint),
        _wall("Wall4", (x, y - half, middle), (HALF_TURN, -HALF_TURN, 0, 0), (LENGTH, HEIGHT, 0), others[2]),
    )


def _wall(name: str, centre: Vector, turn: Quaternion, size: Vector, tint: Colour = NO_TINT) -> Plane:
    return Plane(name=name, size=size, position=centre, orientation=turn, colour=tint, material="Plaster", role="room")


def table(x: float, depth: float) -> tuple[Box, ...]:
    """The Level-1 table; its top is at a height of 10.224 m."""
    top, width, length = 10.224, 11.344, 7.060
    under = top - 0.3
    legs = [
        board(
            f"Table/Leg{number}",
            (x + side * 5.3, (FLOOR + under) / 2, depth + end * 3.2),
            (0.5, under - FLOOR, 0.5),
            "WoodTableWorn",
        )
        for number, (side, end) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)), start=1)
    ]
    return (board("Table/Top", (x, top - 0.15, depth), (width, 0.3, length), "WoodTableWorn", role="table"), *legs)


THICKNESS = 0.01  # metres


def plank(centre: Vector, length: float, depth: float, *, angle: float, side: int, wood: str, role: str) -> Box:
    """A frictionless plank tilted by `angle` radians; its high end is on the right for side 1, on the left for -1.

    `centre` is as in the published tables.
    """
    half = -side * angle / 2  # the published tables have left-handed axes, so they turn the other way
    return Box(
        name="Plank",
        position=at(*centre),
        size=(length, depth, THICKNESS),
        material=wood,
        role=role,
        friction=0.0,
        orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
    )
