"""Test 7, ObjectPermanence3: a plank swings up like a drawbridge and is stopped by a box or swings through it."""

import math

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, metal, room, slide
from scenes.scene import After, Arrived, Body, Hide, Profile, Scene, Show, Swing, TriggeredAction, Vector

PLATFORM = 11.660  # metres
HINGE = (11.670, -1.630)  # metres: height and depth of the edge about which the plank turns
BOX_DEPTH, BOX_THICK = -1.130, 0.1
TO_BOX = BOX_DEPTH - BOX_THICK / 2 - HINGE[1]  # metres from the hinge to the front of the box
AXIS: Vector = (-1.0, 0.0, 0.0)  # the plank's near end swings about it, up and away from the viewer
# Degrees a second. Many published clips end before the plank lies flat again; from 50 on it does within ten seconds.
SPEEDS = {"faithful": (35.0, 50.0), "corrected": (50.0, 65.0)}


def object_permanence3(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (4.330, 12.950, -5.001), (2.995, 11.665, -1.672), height=(-0.5, 0.5))
    delay, colour = chance.delay(rng, 30, 110), chance.strong_colour(rng)
    speed = float(rng.uniform(*SPEEDS[profile]))
    tint, wood = chance.wall_tint(rng), chance.wood(rng)
    height, shift = float(rng.uniform(0.4, 0.8)), float(rng.uniform(-0.3, 0.3))
    return Scene(
        test="ObjectPermanence3",
        label=label,
        bodies=(
            *room(tint),
            *_stage(wood),
            metal("Plank", (3.745, 11.665, -2.130), (5, 0.01, 1), role="plank"),
            slide(
                "Box",
                (2.995 + shift, PLATFORM + height / 2, BOX_DEPTH),
                (2, height, BOX_THICK),
                "Shiny",
                role="box",
                colour=colour,
            ),
        ),
        camera=camera,
        rules=_rules(label, delay, speed, height, profile),
        parameters={"delay": delay, "speed": speed, "wood": wood, "height": height, "shift": shift},
    )


def _rules(label: str, delay: float, speed: float, height: float, profile: Profile) -> tuple[TriggeredAction, ...]:
    """Published: up and down. Corrected: a stopped plank rebounds by what it misses of a half turn and strikes again,
    and so turns as far and as long as one that swings through.
    """
    stop = 180 - math.degrees(math.atan((PLATFORM + height - HINGE[0]) / TO_BOX))
    if label == "plausible":
        rebound = () if profile == "faithful" else (stop - 180, 180 - stop)
        return _in_turn(delay, speed, (stop, *rebound, -stop))
    upright, again = delay + 90 / speed, delay + 270 / speed
    hidden = TriggeredAction(After(upright), (Hide("Box"),)), TriggeredAction(After(again), (Show("Box"),))
    return (*_in_turn(delay, speed, (180.0, -180.0)), *hidden)


def _in_turn(delay: float, speed: float, swings: tuple[float, ...]) -> tuple[TriggeredAction, ...]:
    """Swings by these degrees, each after the one before."""
    first, *others = ((_swing(degrees, speed),) for degrees in swings)
    return (TriggeredAction(After(delay), first), *(TriggeredAction(Arrived("Plank"), then) for then in others))


def _swing(degrees: float, speed: float) -> Swing:
    return Swing("Plank", at(3.745, *HINGE), AXIS, degrees, speed)


def _stage(wood: str) -> tuple[Body, ...]:
    """The platform and, on the right, the housing that hides the plank's drive."""
    return (
        board("Platform", (3.745, 11.51, BOX_DEPTH), (5, 0.3, 3), wood, role="floor"),
        board("Housing/Right", (6.25, 12.06, BOX_DEPTH), (0.01, 1.4, 3), wood),
        board("Housing/Front", (5.505, 12.06, -2.635), (1.5, 1.4, 0.01), wood),
        board("Housing/Top", (5.505, 12.765, -1.135), (1.5, 0.01, 3.01), wood),
        board("Background", (3.745, 12.21, 0.365), (5, 1.1, 0.01), "Pole"),
    )
