"""Test 6, ObjectPermanence: a ball passes behind a screen with a dip in its middle, above which it shows or does
not."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, lights_for, room
from scenes.scene import After, Body, Camera, Glide, Hide, Near, Profile, Scene, Show, TriggeredAction

MIDDLE, SHELF, DEPTH = 3.811, 11.326, -0.03  # metres: middle of the shelf, its top, depth of the ball
SCREEN_DEPTH = -0.305
SIDE = 0.5  # metres from the middle to either high part of the screen; also their width
REACH = 2.25  # metres from the middle to the wall, less the ball's radius on either side
CURTAIN = {"faithful": 0.7, "corrected": 0.85}  # metres wide; the outermost cameras see past the published one
WITHIN = 0.03  # metres from the middle of a high part at which the ball disappears or appears


@dataclass(frozen=True)
class Sizes:
    """Diameter of the ball and height of the screen's low part, in metres."""

    ball: float
    low: float


HIDING, SHOWING = Sizes(ball=0.2, low=0.4), Sizes(ball=0.3, low=0.2)


def object_permanence(rng: Generator, label: str, profile: Profile) -> Scene:
    # Published: a small ball behind a high screen, or a large one behind a low screen, so that the first picture gives
    # the answer away. Corrected: the large ball and the low screen in both, and the plausible ball shows above it.
    sizes = HIDING if (profile, label) == ("faithful", "plausible") else SHOWING
    camera = _camera(rng, sizes, profile)
    delay, colour, speed = chance.delay(rng, 50, 150), chance.strong_colour(rng), float(rng.uniform(0.7, 1.5))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    way = -1 if is_mirrored else 1  # the ball's direction along x
    height, reach = SHELF + sizes.ball / 2, REACH + 0.15 - sizes.ball / 2
    rules = [TriggeredAction(After(delay), (Glide("Ball", at(MIDDLE + way * reach, height, DEPTH), speed),))]
    if label == "implausible":
        entry, leave = (_behind(MIDDLE + way * side, camera, profile) for side in (-SIDE, SIDE))
        rules += [
            TriggeredAction(Near("Ball", at(entry, height, DEPTH), WITHIN), (Hide("Ball"),)),
            TriggeredAction(Near("Ball", at(leave, height, DEPTH), WITHIN), (Show("Ball"),)),
        ]
    return Scene(
        test="ObjectPermanence",
        label=label,
        bodies=(
            *room(tint),
            *_shelf(wood, way, CURTAIN[profile]),
            *_screen(wood, sizes.low),
            ball("Ball", sizes.ball, (MIDDLE - way * reach, height, DEPTH), colour),
        ),
        camera=camera,
        lights=lights_for(camera),
        rules=tuple(rules),
        parameters={"delay": delay, "speed": speed, "wood": wood, "mirrored": int(is_mirrored)},
    )


def _camera(rng: Generator, sizes: Sizes, profile: Profile) -> Camera:
    """Published: anywhere within half a metre. Corrected, as the paper says: as high as the low part of the screen."""
    base, focus = (MIDDLE, 12.380, -2.921), (MIDDLE, 11.990, -0.130)
    if profile == "faithful":
        return chance.camera(rng, base, focus, x=(-0.5, 0.5), height=(-0.5, 0.5))
    return chance.camera(rng, (MIDDLE, SHELF + sizes.low, base[2]), focus, x=(-0.5, 0.5))


def _behind(x: float, camera: Camera, profile: Profile) -> float:
    """The ball's x behind a part of the screen at x. Published: x itself. Corrected: on the camera's line of sight."""
    eye, near = camera.position[0], SCREEN_DEPTH - camera.position[1]
    return x if profile == "faithful" else eye + (x - eye) * (DEPTH - camera.position[1]) / near


def _screen(wood: str, low: float) -> tuple[Body, ...]:
    top = SHELF + low
    return (
        board("Screen/Low", (MIDDLE, SHELF + low / 2, SCREEN_DEPTH), (1.5, low, 0.05), wood, role="dip"),
        board("Screen/Left", (MIDDLE - SIDE, top + 0.15, SCREEN_DEPTH), (SIDE, 0.3, 0.05), wood, role="occluder"),
        board("Screen/Right", (MIDDLE + SIDE, top + 0.15, SCREEN_DEPTH), (SIDE, 0.3, 0.05), wood, role="occluder"),
    )


def _shelf(wood: str, way: int, curtain: float) -> tuple[Body, ...]:
    """The shelf; a curtain hangs on the side where the ball waits."""
    return (
        board(
            "Curtain", (MIDDLE - way * (2.5 - curtain / 2), 12.226, -0.335), (curtain, 2, 0.01), wood, role="curtain"
        ),
        board("Box/Bottom", (MIDDLE, 11.276, -0.03), (5, 0.1, 0.6), wood, role="floor"),
        board("Box/Left", (1.361, 12.226, -0.03), (0.1, 1.8, 0.6), wood),
        board("Box/Right", (6.261, 12.226, -0.03), (0.1, 1.8, 0.6), wood),
        board("Box/Top", (MIDDLE, 13.176, -0.03), (5, 0.1, 0.6), wood),
        board("Box/Back", (MIDDLE, 12.226, 0.32), (5, 2, 0.1), "Pole"),
    )
