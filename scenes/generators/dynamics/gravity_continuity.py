"""Test 13, GravityContinuity: a ball runs towards a hidden gap and is found below it or beyond it."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, held_ball, metal, room
from scenes.scene import (
    Action,
    After,
    Body,
    Box,
    Glide,
    Hold,
    Near,
    Profile,
    Released,
    Scene,
    Teleport,
    TriggeredAction,
    Vector,
)

MIDDLE = 3.811
RADIUS = {"faithful": 0.05, "corrected": 0.09}  # metres
DEPTH = {"faithful": -0.483, "corrected": -0.45}  # metres, of the ball
HOLDER = 0.72  # metres from the middle to the side of the holder on the lower shelf
UPPER, LOWER = 11.638, 11.328  # metres: tops of the shelves
DEEPER = {"faithful": 0.0, "corrected": 0.078}  # metres by which the lower shelf lies deeper
WIDTH, OCCLUDER_HEIGHT, LOWERING = 1.4, 0.8, 0.5  # metres, metres, metres a second; the width is half the inner width
ARRIVED = 0.02  # metres
OCCLUDER_HIGH = 11.575  # metres


@dataclass(frozen=True)
class Shelves:
    """Places along the ball's way; `way` is its direction along x."""

    way: int
    radius: float  # of the ball
    depth: float
    deeper: float  # by how much the lower shelf lies deeper

    def place(self, ahead: float) -> float:
        """x of the point this many metres ahead of the middle."""
        return MIDDLE + self.way * ahead

    @property
    def start(self) -> Vector:
        return at(self.place(self.radius - WIDTH), UPPER + self.radius, self.depth)

    @property
    def below(self) -> Vector:
        """The ball's place on the lower shelf, at the holder."""
        return at(self.place(HOLDER - self.radius), LOWER - self.deeper + self.radius, self.depth)

    @property
    def beyond(self) -> Vector:
        """The ball's place on the upper shelf, at the far wall."""
        return at(self.place(WIDTH - self.radius), UPPER + self.radius, self.depth)


def gravity_continuity(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 12.109, -2.203), (MIDDLE, 11.990, -0.130), x=(-0.5, 0.5), height=(-0.5, 0))
    delay, colour, speed = chance.delay(rng, 50, 150), chance.strong_colour(rng), float(rng.uniform(0.6, 1.2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    shelves = Shelves(-1 if is_mirrored else 1, RADIUS[profile], DEPTH[profile], DEEPER[profile])
    start = shelves.start
    rules = _published if profile == "faithful" else _mended
    return Scene(
        test="GravityContinuity",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, shelves),
            metal("Occluder", (shelves.place(0.7255), OCCLUDER_HIGH, -0.598), (1.35, OCCLUDER_HEIGHT, 0.01)),
            held_ball(2 * shelves.radius, (start[0], start[2], shelves.depth), colour, friction=0.0),
        ),
        camera=camera,
        rules=rules(label, delay, speed, shelves),
        parameters=chance.parameters(delay, speed, wood, is_mirrored),
    )


def _published(label: str, delay: float, speed: float, shelves: Shelves) -> tuple[TriggeredAction, ...]:
    """Published: both balls fall through the gap; then the implausible one is moved and the occluder is lowered."""
    jump: tuple[Action, ...] = (Teleport("Ball", shelves.beyond),) if label == "implausible" else ()
    return (
        TriggeredAction(After(delay), (_launch(speed, shelves),)),
        TriggeredAction(Near("Ball", shelves.below, ARRIVED), (Hold("Ball"), *jump, _lowering(shelves))),
    )


def _mended(label: str, delay: float, speed: float, shelves: Shelves) -> tuple[TriggeredAction, ...]:
    """Corrected: the implausible ball crosses the gap; the occluder always lowers when it could have arrived."""
    until_beyond = 2 * (WIDTH - shelves.radius) / speed
    lower = TriggeredAction(After(delay + until_beyond + 0.2), (_lowering(shelves),))
    if label == "implausible":
        return TriggeredAction(After(delay), (Glide("Ball", shelves.beyond, speed),)), lower
    return (
        TriggeredAction(After(delay), (_launch(speed, shelves),)),
        TriggeredAction(Near("Ball", shelves.below, 0.005), (Hold("Ball"),)),
        lower,
    )


def _launch(speed: float, shelves: Shelves) -> Action:
    return Released("Ball", (shelves.way * speed, 0.0, 0.0))


def _lowering(shelves: Shelves) -> Action:
    x, depth = shelves.place(0.7255), -0.598
    return Glide("Occluder", at(x, OCCLUDER_HIGH - OCCLUDER_HEIGHT + 0.01, depth), LOWERING)


def _box(wood: str, shelves: Shelves) -> tuple[Body, ...]:
    place = shelves.place
    smooth = (  # published: a ball keeps its speed on all of them
        board("UpperShelfBefore", (place(-0.551), 11.633, -0.155), (1.7, 0.01, 0.85), wood, role="platform"),
        board("UpperShelfBeyond", (place(1.002), 11.633, -0.155), (0.8, 0.01, 0.85), wood, role="platform"),
        board("LowerShelf", (MIDDLE, 11.323 - shelves.deeper, -0.155), (2.8, 0.01, 0.85), wood, role="floor"),
    )
    return (
        *(replace(shelf, friction=0.0) for shelf in smooth),
        *_frame(wood, shelves.deeper),
        board("StartBox/Front", (place(-1.2), 11.738, -0.575), (0.4, 0.2, 0.01), wood, role="curtain"),
        board("StartBox/Top", (place(-1.2), 11.833, -0.15), (0.4, 0.01, 0.84), wood),
    )


def _frame(wood: str, deeper: float) -> tuple[Box, ...]:
    middle, height = 11.478 - deeper / 2, 0.3 + deeper
    return (
        board("RightHolder", (4.536, middle, -0.155), (0.01, height, 0.85), wood),
        board("LeftHolder", (3.086, middle, -0.155), (0.01, height, 0.85), wood),
        board("Box/Bottom", (MIDDLE, 10.276, -0.13), (3, 0.1, 1), wood),
        board("Box/Left", (2.361, 11.726, -0.13), (0.1, 2.8, 1), wood),
        board("Box/Right", (5.261, 11.726, -0.13), (0.1, 2.8, 1), wood),
        board("Box/Top", (MIDDLE, 13.176, -0.13), (3, 0.1, 1), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (2.8, 2.8, 0.1), "Pole"),
        board("Box/Front", (MIDDLE, 10.826 - deeper, -0.625), (2.8, 1, 0.01), wood),
    )
