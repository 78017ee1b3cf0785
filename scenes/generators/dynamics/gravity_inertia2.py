"""Test 11, GravityInertia2: a ball runs over an edge and falls in a curve, straight down or not at all."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, held_ball, room
from scenes.scene import After, Arrived, Body, Glide, Hold, Near, Profile, Released, Scene, TriggeredAction, Vector

MIDDLE, FLOOR = 3.811, 10.326  # metres; FLOOR is the height of the floor's top
WALL = 1.9  # metres from the middle to a side wall
BEYOND = 0.02  # metres beyond the edge, and its radius, at which the ball leaves its path
RADIUS = {"faithful": 0.1, "corrected": 0.14}  # metres
DEPTH = {"faithful": -0.39, "corrected": -0.35}  # metres, of the ball
CHANGES = ("drop", "float")


@dataclass(frozen=True)
class StartingBlock:
    """The block from which the ball falls, at the side wall where the ball starts."""

    way: int  # the ball's direction along x
    length: float
    height: float
    radius: float  # of the ball
    depth: float  # of the ball

    @property
    def outside(self) -> float:
        return MIDDLE - self.way * WALL

    def rolling(self, beyond_edge: float) -> Vector:
        """Centre of the ball at the block's height, this many metres beyond the edge."""
        return at(self.outside + self.way * (self.length + beyond_edge), FLOOR + self.height + self.radius, self.depth)

    def opposite(self, height: float) -> Vector:
        """Centre of the ball at the far wall, at this height."""
        return at(MIDDLE + self.way * (WALL - self.radius), height, self.depth)


def gravity_inertia2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.726, -2.692), (MIDDLE, 11.726, 0.320), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay, colour, speed = chance.delay(rng, 0, 100), chance.strong_colour(rng), float(rng.uniform(0.7, 2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    length, height = 1.3 + float(rng.uniform(0, 0.7)), 1 + float(rng.uniform(0, 1))
    step = StartingBlock(-1 if is_mirrored else 1, length, height, RADIUS[profile], DEPTH[profile])
    change = CHANGES[int(rng.integers(2))]
    start = step.rolling(step.radius - step.length)
    return Scene(
        test="GravityInertia2",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, step, profile),
            held_ball(2 * step.radius, (start[0], start[2], step.depth), colour, friction=0.0),
        ),
        camera=camera,
        rules=_falling(delay, speed, step) if label == "plausible" else _strange(delay, speed, step, change, profile),
        parameters=chance.parameters(
            delay, speed, wood, is_mirrored, length=step.length, height=step.height, change=change
        ),
    )


def _falling(delay: float, speed: float, step: StartingBlock) -> tuple[TriggeredAction, ...]:
    return (
        TriggeredAction(After(delay), (Released("Ball", (step.way * speed, 0.0, 0.0)),)),
        TriggeredAction(Near("Ball", step.opposite(FLOOR + step.radius), 0.01), (Hold("Ball"),)),
    )


def _strange(
    delay: float, speed: float, step: StartingBlock, change: str, profile: Profile
) -> tuple[TriggeredAction, ...]:
    """Corrected: a ball that ran on through the air falls at the far wall, and so moves further than in a curve; one
    that drops moves less, so that motion does not tell the answer.
    """
    if change == "float":
        across = Glide("Ball", step.opposite(FLOOR + step.height + step.radius), speed)
        falls = () if profile == "faithful" else (TriggeredAction(Arrived("Ball"), (Released("Ball"),)),)
        return (TriggeredAction(After(delay), (across,)), *falls)
    return (
        TriggeredAction(After(delay), (Glide("Ball", step.rolling(step.radius + BEYOND), speed),)),
        TriggeredAction(Arrived("Ball"), (Released("Ball"),)),
    )


def _box(wood: str, step: StartingBlock, profile: Profile) -> tuple[Body, ...]:
    middle = step.outside + step.way * step.length / 2
    block = board(
        "Block", (middle, FLOOR + step.height / 2, -0.13), (step.length, step.height, 0.8), wood, role="block"
    )
    floor = board("Box/Bottom", (MIDDLE, 10.276, -0.13), (4, 0.1, 1), wood, role="floor")
    return (
        replace(block, friction=0.0),  # published: a ball keeps its speed on both
        replace(floor, friction=0.0),
        board("Box/Left", (1.861, 11.726, -0.13), (0.1, 2.8, 1), wood, role="wall"),
        board("Box/Right", (5.761, 11.726, -0.13), (0.1, 2.8, 1), wood, role="wall"),
        board("Box/Top", (MIDDLE, 13.176, -0.13), (4, 0.1, 1), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (3.8, 2.8, 0.1), "Pole"),
        *_covers(wood, (-step.way,) if profile == "corrected" else (-1, 1)),
    )


def _covers(wood: str, sides: tuple[int, ...]) -> tuple[Body, ...]:
    """Curtains at these sides. Published: at both, so that a plausible ball rolls out of sight; corrected: where it
    starts."""
    names = {-1: "Box/LeftCover", 1: "Box/RightCover"}
    return tuple(
        board(names[side], (MIDDLE + side * 1.65, 11.726, -0.58), (0.5, 2.8, 0.1), wood, role="curtain")
        for side in sides
    )
