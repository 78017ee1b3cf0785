"""Test 8, Inertia: a ball hits a wall at an angle and bounces off to the other side or returns the way it came."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, room
from scenes.scene import After, Arrived, Body, Glide, Plane, Profile, Scene, TriggeredAction

LINE, TOP = -8.630, 10.324  # metres: depth of the white line, height of the tray's floor
START, WALL = 6.029, 1.229  # metres along x: the walls behind the ball's start under its cover, and where it bounces
REACH = 2.25  # metres: the ball's largest distance from the line
DIAMETER = {"faithful": 0.3, "corrected": 0.42}
LEAST = 1.0  # metres: its smallest distance in the corrected test; closer to the line the two answers look alike


def inertia(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (3.745, 15.774, LINE), (2.878, 10.274, LINE), x=(-0.5, 0.5), depth=(-0.5, 0.5))
    delay, colour, speed = chance.delay(rng, 0, 100), chance.strong_colour(rng), float(rng.uniform(1.5, 2.5))
    tints, wood = [chance.wall_tint(rng) for _ in range(4)], chance.wood(rng)
    side, least = (-1 if chance.is_mirrored(rng) else 1), 0.0 if profile == "faithful" else LEAST
    radius = DIAMETER[profile] / 2
    height, start, reach = TOP + radius, START - radius, REACH + 0.15 - radius
    offset, other = (float(rng.uniform(least, reach)) for _ in range(2))
    # Published: back to anywhere on its own side. Corrected, as the paper says: back to its start.
    back = -offset if label == "plausible" else other if profile == "faithful" else offset
    return Scene(
        test="Inertia",
        label=label,
        bodies=(
            *room(tints[0], others=tuple(tints[1:])),
            *_tray(wood),
            ball("Ball", 2 * radius, (start, height, LINE + side * offset), colour),
        ),
        camera=camera,
        rules=(
            TriggeredAction(After(delay), (Glide("Ball", at(WALL + radius, height, LINE), speed),)),
            TriggeredAction(Arrived("Ball"), (Glide("Ball", at(start, height, LINE + side * back), speed),)),
        ),
        parameters={"delay": delay, "speed": speed, "wood": wood, "mirrored": int(side < 0), "offset": offset},
    )


def _tray(wood: str) -> tuple[Body, ...]:
    return (
        board("Box/Bottom", (3.628, 10.274, LINE), (5, 0.1, 5), "Pole", role="floor"),
        Plane(name="Box/Line", size=(4.6, 0.1, 0), position=at(3.527, 10.327, LINE), role="line"),
        board("Box/Wall1", (3.628, 10.574, -11.08), (5, 0.5, 0.1), wood),
        board("Box/Wall2", (3.628, 10.574, -6.18), (5, 0.5, 0.1), wood),
        board("Box/Wall3", (6.078, 10.574, LINE), (0.1, 0.5, 4.8), wood),
        board("Box/Wall4", (1.178, 10.574, LINE), (0.1, 0.5, 4.8), wood, role="wall"),
        board("Box/StartCover", (5.628, 10.829, LINE), (1, 0.01, 5), wood, role="cover"),
    )
