"""Test 16, Inertia2: a ball runs to a corner under a cover and is found there or in the other corner."""

from dataclasses import replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.objects.covered_tray import CORNER, RADIUS, TrayDraw, line, opening, spot
from scenes.scene import Profile, Scene, Teleport

COVER = 1.0  # metres
LARGE = 0.21  # metres: radius of the corrected ball
PUBLISHED_END = -1.577  # metres from the middle: where every published ball goes, which is not a corner


def inertia2(rng: Generator, label: str, profile: Profile) -> Scene:
    draw = TrayDraw.of(rng)
    if profile == "corrected":
        draw = replace(draw, radius=LARGE, offset=draw.offset * (CORNER - LARGE + RADIUS) / CORNER)
    corner = CORNER + RADIUS - draw.radius
    side = -1 if chance.is_mirrored(rng) else 1
    # Published: always the same target, and the implausible ball is found in the corner on the other side.
    target, other = (PUBLISHED_END, corner) if profile == "faithful" else (side * corner, -side * corner)
    jump = (Teleport("Ball", spot(other, draw.radius)),) if label == "implausible" else ()
    return Scene(
        test="Inertia2",
        label=label,
        bodies=(*draw.stage(COVER), line()),
        camera=draw.camera,
        rules=(draw.rolling(target, profile), opening(COVER, *jump)),
        parameters=draw.parameters(target=target),
    )
