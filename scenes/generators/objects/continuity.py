"""Test 12, Continuity: a plank closes one corner under a cover; the ball ends in the other corner or behind it."""

import math

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.objects.covered_tray import CORNER, MIDDLE, REACH, TrayDraw, opening, spot
from scenes.generators.room import at
from scenes.scene import Box, Near, Profile, Scene, Teleport, TriggeredAction, Vector

COVER = 1.4  # metres
HEIGHT = 10.474  # metres: height of the plank's centre
NEAR = 0.2  # metres from the plank's centre at which the published ball is moved behind it
LEAST = 0.4  # metres from the middle, in the corrected test
# Published: the plank's end can show from under the cover, which reveals at once which corner is closed.
PLANKS = {"faithful": (2.0, 2.858, 1.711), "corrected": (1.7, 2.763, 1.82)}  # length, x, metres from the middle


def continuity(rng: Generator, label: str, profile: Profile) -> Scene:
    draw = TrayDraw.of(rng)
    side, is_plausible = (-1 if chance.is_mirrored(rng) else 1), label == "plausible"
    offset = draw.offset
    if profile != "faithful":  # both balls cross the tray, so that they meet the plank well under the cover
        offset = math.copysign(LEAST + abs(offset) * (1 - LEAST / REACH), offset)
    crossing = -1 if offset > 0 else 1
    # Published: the plausible ball runs to either corner, the implausible one to the farther one.
    end = side if is_plausible and profile == "faithful" else crossing
    draw = draw.starting(offset)
    target, closed = end * CORNER, -end if is_plausible else end
    jump = (TriggeredAction(Near("Ball", _centre(closed, profile), NEAR), (Teleport("Ball", spot(target)),)),)
    return Scene(
        test="Continuity",
        label=label,
        bodies=(*draw.stage(COVER), _plank(closed, profile, draw.wood)),
        camera=draw.camera,
        rules=(
            draw.rolling(target, profile),
            *(jump if profile == "faithful" and not is_plausible else ()),
            opening(COVER),
        ),
        parameters=draw.parameters(target=target),
    )


def _centre(side: int, profile: Profile) -> Vector:
    _, x, offset = PLANKS[profile]
    return at(x, HEIGHT, MIDDLE + side * offset)


def _plank(side: int, profile: Profile, wood: str) -> Box:
    half = side * math.radians(45) / 2
    return Box(
        name="Barrier",
        position=_centre(side, profile),
        size=(PLANKS[profile][0], 0.05, 0.3),
        material=wood,
        role="barrier",
        orientation=(math.cos(half), 0.0, 0.0, math.sin(half)),
    )
