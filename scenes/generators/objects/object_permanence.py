"""Test 6, ObjectPermanence: a ball passes behind a screen with a dip in its middle, above which it shows or does
not."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, room
from scenes.scene import After, Body, Camera, Glide, Hide, Near, Profile, Scene, Show, TriggeredAction

MIDDLE, SHELF, DEPTH = 3.811, 11.326, -0.03  # metres: middle of the shelf, its top, depth of the ball
SCREEN_DEPTH = -0.305
INSIDE = 2.4  # metres from the middle to either wall
CURTAIN = {"faithful": 0.7, "corrected": 0.8}  # metres wide; outermost cameras see past the first
WITHIN = 0.03  # metres from the middle of a high part at which the ball disappears or appears


@dataclass(frozen=True)
class Sizes:
    """Metres: diameter of the ball, height of the screen's low part, its width, and the size of either high part."""

    ball: float
    low: float
    dip: float = 0.5
    side: float = 0.5
    high: float = 0.3
    fastest: float = 1.5  # metres a second

    @property
    def aside(self) -> float:
        """Metres from the middle to that of either high part."""
        return (self.dip + self.side) / 2


HIDING, SHOWING = Sizes(ball=0.2, low=0.4), Sizes(ball=0.3, low=0.2)
CLEAR = Sizes(ball=0.5, low=0.18, dip=0.9, side=0.65, high=0.6, fastest=1.1)


def object_permanence(rng: Generator, label: str, profile: Profile) -> Scene:
    # Published: a small ball behind a high screen, or a large one behind a low screen, so that the first picture gives
    # the answer away. Corrected: the same ball and screen in both, and the plausible ball shows above it; it is larger,
    # slower, and over a lower and wider dip, so that it shows for longer and in more pixels.
    sizes = CLEAR if profile == "corrected" else HIDING if label == "plausible" else SHOWING
    camera = _camera(rng, sizes, profile)
    delay, colour, speed = chance.delay(rng, 50, 150), chance.strong_colour(rng), float(rng.uniform(0.7, sizes.fastest))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    way = -1 if is_mirrored else 1  # the ball's direction along x
    height, reach = SHELF + sizes.ball / 2, INSIDE - sizes.ball / 2
    rules = [TriggeredAction(After(delay), (Glide("Ball", at(MIDDLE + way * reach, height, DEPTH), speed),))]
    if label == "implausible":
        entry, leave = (_behind(MIDDLE + way * side, camera, profile) for side in (-sizes.aside, sizes.aside))
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
            *_screen(wood, sizes),
            ball("Ball", sizes.ball, (MIDDLE - way * reach, height, DEPTH), colour),
        ),
        camera=camera,
        rules=tuple(rules),
        parameters=chance.parameters(delay, speed, wood, is_mirrored),
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


def _screen(wood: str, sizes: Sizes) -> tuple[Body, ...]:
    low, high, aside = sizes.low, SHELF + sizes.low + sizes.high / 2, sizes.aside
    width, part = sizes.dip + 2 * sizes.side, (sizes.side, sizes.high, 0.05)
    return (
        board("Screen/Low", (MIDDLE, SHELF + low / 2, SCREEN_DEPTH), (width, low, 0.05), wood, role="dip"),
        board("Screen/Left", (MIDDLE - aside, high, SCREEN_DEPTH), part, wood, role="occluder"),
        board("Screen/Right", (MIDDLE + aside, high, SCREEN_DEPTH), part, wood, role="occluder"),
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
