"""Test 2, Unchangeableness2: a ball passes behind a pillar and comes out in its own colour or in another."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, room
from scenes.scene import After, Body, Camera, Colour, Glide, Near, Profile, Recolour, Scene, TriggeredAction

MIDDLE, SHELF = 3.811, 11.326
DIAMETER = {"faithful": 0.2, "corrected": 0.3}
PILLAR = {"faithful": 0.4, "corrected": 0.55}  # metres wide
REACH = {"faithful": 1.3, "corrected": 1.24}  # metres from the middle to either end of the path
DEPTH = {"faithful": -0.271, "corrected": -0.2}
WHITE: Colour = (1.0, 1.0, 1.0)
SLOWEST = 0.6  # share of its first speed that the ball has at the end


def unchangeableness2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = _camera(rng, label, profile)
    delay, colour = chance.delay(rng, 50, 150), chance.strong_colour(rng)
    speed = float(rng.uniform(0.5, 1.2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    side = 1 if is_mirrored else -1
    height, reach, depth = SHELF + DIAMETER[profile] / 2, REACH[profile], DEPTH[profile]
    target = at(MIDDLE - side * reach, height, depth)
    rules = [TriggeredAction(After(delay), (Glide("Ball", target, speed, _slowing(speed, profile)),))]
    if label == "implausible":
        new = WHITE if profile == "faithful" else chance.other_colour(rng, colour)
        # Published: within 0.1 m, where the widest camera already sees the ball's edge beside the pillar.
        within = 0.1 if profile == "faithful" else 0.05
        rules.append(TriggeredAction(Near("Ball", at(MIDDLE, height, depth), within), (Recolour("Ball", new),)))
    return Scene(
        test="Unchangeableness2",
        label=label,
        bodies=(
            *room(tint),
            *_casing(wood, side, PILLAR[profile]),
            ball("Ball", DIAMETER[profile], (MIDDLE + side * reach, height, depth), colour),
        ),
        camera=camera,
        rules=tuple(rules),
        parameters=chance.parameters(delay, speed, wood, is_mirrored),
    )


def _camera(rng: Generator, label: str, profile: Profile) -> Camera:
    reach = 0.5 if (profile, label) == ("faithful", "implausible") else 0.4
    base, focus = (MIDDLE, 12.183, -2.259), (MIDDLE, 11.990, -0.130)
    return chance.camera(rng, base, focus, x=(-0.4, 0.4), height=(-reach, reach))


def _slowing(speed: float, profile: Profile) -> float:
    """The ball's acceleration: the paper's ball slows down, the published one does not."""
    return 0.0 if profile == "faithful" else -(speed**2) * (1 - SLOWEST**2) / (2 * 2 * REACH[profile])


def _casing(wood: str, side: int, pillar: float) -> tuple[Body, ...]:
    """The shelf; a curtain hangs on the side where the ball waits."""
    return (
        board("Curtain", (MIDDLE + side * 1.2, 12.226, -0.635), (0.6, 2, 0.01), wood, role="curtain"),
        board("Pillar", (MIDDLE, 11.676, -0.407), (pillar, 0.7, 0.05), wood, role="occluder"),
        board("Casing/Bottom", (MIDDLE, 11.276, -0.18), (3, 0.1, 0.9), wood),
        board("Casing/Left", (2.361, 12.226, -0.18), (0.1, 1.8, 0.9), wood),
        board("Casing/Right", (5.261, 12.226, -0.18), (0.1, 1.8, 0.9), wood),
        board("Casing/Top", (MIDDLE, 13.176, -0.18), (3, 0.1, 0.9), wood),
        board("Casing/Back", (MIDDLE, 12.226, 0.32), (2.8, 1.8, 0.1), "Pole"),
    )
