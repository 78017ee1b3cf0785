"""Test 4, SolidityContinuity2: a ball falls behind an occluder and is found on the upper floor or on the lower one."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.dynamics.gravity_inertia import covered_box
from scenes.generators.room import at, held_ball, metal, room
from scenes.scene import After, Body, Box, Glide, Profile, Released, Scene, Slow, TriggeredAction

MIDDLE, DEPTH = 3.811, -0.327
DROP = 13.095  # metres; published 13.109, where the ball overlaps the ceiling by 8 mm
UPPER, HALF = 11.533, 1.4  # metres: height of the upper floor; length of each half of it
OCCLUDER = (MIDDLE, 11.545, -0.598)
LOWERED, LOWERING = 0.7, 0.5  # metres, metres a second
FALLEN = 1.0  # seconds after which the ball surely lies still


def solidity_continuity2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.794, -2.166), (MIDDLE, 11.726, -0.130), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay, colour = chance.delay(rng, 50, 250), chance.strong_colour(rng)
    tint, wood, shift = chance.wall_tint(rng), chance.wood(rng), float(rng.uniform(-0.2, 0.2))
    # Published: a gap smaller than the ball. Corrected, as the paper says: both floors are whole.
    gap = float(rng.uniform(0, 0.2)) if profile == "faithful" else 0.0
    return Scene(
        test="SolidityContinuity2",
        label=label,
        bodies=(
            *room(tint),
            *covered_box(wood, shift, "LowerFloor"),
            *(
                _half(name, side, gap, wood, is_solid=label == "plausible")
                for name, side in (("UpperFloorLeft", -1), ("UpperFloorRight", 1))
            ),
            metal("Occluder", OCCLUDER, (1.5, 0.8, 0.01)),
            held_ball(0.25, (MIDDLE, DROP, DEPTH), colour),
        ),
        camera=camera,
        rules=(TriggeredAction(After(delay), (Released("Ball"),)), _lowering(delay, profile)),
        parameters={"delay": delay, "wood": wood, "shift": shift, "gap": gap},
    )


def _half(name: str, side: int, gap: float, wood: str, *, is_solid: bool) -> Body:
    """One half of the upper floor, shortened at the middle by half the gap; a half that is not solid lets the ball
    through."""
    centre = (MIDDLE + side * (HALF / 2 + gap / 4), UPPER, -0.155)
    size = (HALF - gap / 2, 0.01, 0.85)
    return Box(name=name, position=at(*centre), size=at(*size), material=wood, role="platform", is_solid=is_solid)


def _lowering(delay: float, profile: Profile) -> TriggeredAction:
    """Published: as soon as the ball stops, which is later in implausible clips. Corrected: after the same time in
    all."""
    x, height, depth = OCCLUDER
    lower = Glide("Occluder", at(x, height - LOWERED, depth), LOWERING)
    return TriggeredAction(Slow("Ball", 0.1) if profile == "faithful" else After(delay + FALLEN), (lower,))
