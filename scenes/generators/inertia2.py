"""Test 16, Inertia2: a ball runs to a corner under a cover and is found there or in the other corner."""

from dataclasses import replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.covered_tray import CORNER, RADIUS, TrayDraw, line, opening, spot
from scenes.scene import Profile, Scene, Teleport

COVER = 1.0  # metres
LARGE = 0.21  # metres: radius of the restaged ball
PUBLISHED_END = -1.577  # metres from the middle: where every published ball goes, which is not a corner


def inertia2(rng: Generator, label: str, profile: Profile) -> Scene:
    drawn = TrayDraw.of(rng)
    if profile == "restaged":
        drawn = replace(drawn, radius=LARGE, offset=drawn.offset * (CORNER - LARGE + RADIUS) / CORNER)
    corner = CORNER + RADIUS - drawn.radius
    side = -1 if chance.is_mirrored(rng) else 1
    # Published: always the same target, and the implausible ball is found in the corner on the other side.
    target, other = (PUBLISHED_END, corner) if profile == "faithful" else (side * corner, -side * corner)
    jump = (Teleport("Ball", spot(other, drawn.radius)),) if label == "implausible" else ()
    return Scene(
        test="Inertia2",
        label=label,
        bodies=(*drawn.stage(COVER), line()),
        camera=drawn.camera,
        lights=drawn.lights,
        rules=(drawn.rolling(target, profile), opening(COVER, *jump)),
        parameters=drawn.parameters(target=target),
    )
