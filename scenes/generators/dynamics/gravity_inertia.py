"""Test 10, GravityInertia: a ball falls behind an occluder and is found on the floor or hovering."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, held_ball, metal, room
from scenes.scene import After, Body, Glide, Hold, Near, Profile, Released, Scene, Slow, TriggeredAction

MIDDLE, DEPTH = 3.811, -0.327
DROP = 13.095  # metres; published 13.109, where the ball overlaps the ceiling by 8 mm
HOVER = 11.653  # metres: height near which the implausible ball stops
OCCLUDER = (MIDDLE, 11.545, -0.598)
LOWERED, LOWERING = 0.7, 0.5  # metres, metres a second
FALLEN = 1.0  # seconds after which the ball surely lies still


def gravity_inertia(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.945, -2.309), (MIDDLE, 11.726, -0.130), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay, colour = chance.delay(rng, 50, 250), chance.strong_colour(rng)
    tint, wood, shift = chance.wall_tint(rng), chance.wood(rng), float(rng.uniform(-0.2, 0.2))
    thing = held_ball(0.25, (MIDDLE, DROP, DEPTH), colour)
    return Scene(
        test="GravityInertia",
        label=label,
        bodies=(
            *room(tint),
            *covered_box(wood, shift, "Platform"),
            metal("Occluder", OCCLUDER, (1.5, 0.8, 0.01)),
            thing,
        ),
        camera=camera,
        rules=(TriggeredAction(After(delay), (Released("Ball"),)), *_ending(label, delay, profile)),
        parameters={"delay": delay, "wood": wood, "shift": shift},
    )


def _ending(label: str, delay: float, profile: Profile) -> tuple[TriggeredAction, ...]:
    """Published: the occluder lowers as soon as the ball stops. Corrected: after the same time in every clip."""
    x, height, depth = OCCLUDER
    lower = Glide("Occluder", at(x, height - LOWERED, depth), LOWERING)
    near_hover = Near("Ball", at(MIDDLE, HOVER, DEPTH), 0.055)
    if profile == "faithful":
        return (
            TriggeredAction(near_hover, (Hold("Ball"), lower))
            if label == "implausible"
            else TriggeredAction(Slow("Ball", 0.1), (lower,)),
        )
    later = TriggeredAction(After(delay + FALLEN), (lower,))
    return (TriggeredAction(near_hover, (Hold("Ball"),)), later) if label == "implausible" else (later,)


def covered_box(wood: str, shift: float, floor: str) -> tuple[Body, ...]:
    """A box with a floor of this name, a curtain at its top and a holder on each side."""
    return (
        board("RightHolder", (4.536 + shift, 11.378, -0.155), (0.01, 0.3, 0.85), wood),
        board("LeftHolder", (3.086 - shift, 11.378, -0.155), (0.01, 0.3, 0.85), wood),
        board("Box/Bottom", (MIDDLE, 10.176, -0.13), (3, 0.1, 1), wood),
        board("Box/Left", (2.361, 11.726, -0.13), (0.1, 3, 1), wood),
        board("Box/Right", (5.261, 11.726, -0.13), (0.1, 3, 1), wood),
        board("Box/Top", (MIDDLE, 13.276, -0.13), (3, 0.1, 1), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (2.8, 3, 0.1), "Pole"),
        board("Box/Front", (MIDDLE, 10.726, -0.625), (2.8, 1, 0.01), wood),
        board(f"Box/{floor}", (MIDDLE, 11.223, -0.155), (2.8, 0.01, 0.85), wood, role="floor"),
        board("Box/TopCurtain", (MIDDLE, 12.976, -0.625), (2.8, 0.5, 0.01), wood, role="curtain"),
    )
