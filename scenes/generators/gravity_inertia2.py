"""Test 11, GravityInertia2: a ball runs over an edge and falls on in a curve, or straight down, or not at all."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, lights_for, room
from scenes.scene import After, Arrived, Body, Glide, Hold, Near, Profile, Release, Rule, Scene, Vector

MIDDLE, FLOOR, DEPTH = 3.811, 10.326, -0.39  # metres; the height is that of the floor's top
WALL, RADIUS = 1.9, 0.1  # metres: from the middle to either side wall; of the ball
CLEAR = RADIUS + 0.02  # metres beyond the edge at which the ball leaves its course
CHANGES = ("drop", "float")


@dataclass(frozen=True)
class Step:
    """The block from which the ball falls, at the side wall where the ball starts."""

    way: int  # the ball's direction along x
    length: float
    height: float

    @property
    def outside(self) -> float:
        return MIDDLE - self.way * WALL

    def rolling(self, beyond_edge: float) -> Vector:
        """Centre of the ball at the block's height, so far beyond the edge."""
        return at(self.outside + self.way * (self.length + beyond_edge), FLOOR + self.height + RADIUS, DEPTH)

    def opposite(self, height: float) -> Vector:
        """Centre of the ball at the far wall."""
        return at(MIDDLE + self.way * (WALL - RADIUS), height, DEPTH)


def gravity_inertia2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.726, -2.692), (MIDDLE, 11.726, 0.320), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay, colour, speed = chance.delay(rng, 0, 100), chance.strong_colour(rng), float(rng.uniform(0.7, 2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    step = Step(-1 if is_mirrored else 1, 1.3 + float(rng.uniform(0, 0.7)), 1 + float(rng.uniform(0, 1)))
    change = CHANGES[int(rng.integers(2))]
    start = step.rolling(RADIUS - step.length)
    return Scene(
        test="GravityInertia2",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, step),
            ball("Ball", 2 * RADIUS, (start[0], start[2], DEPTH), colour, motion="free", is_held=True, friction=0.0),
        ),
        camera=camera,
        lights=lights_for(camera),
        rules=_falling(delay, speed, step) if label == "plausible" else _strange(delay, speed, step, change),
        parameters={"delay": delay, "speed": speed, "wood": wood, "mirrored": int(is_mirrored),
                    "length": step.length, "height": step.height, "change": change},
    )  # fmt: skip


def _falling(delay: float, speed: float, step: Step) -> tuple[Rule, ...]:
    return (
        Rule(After(delay), (Release("Ball", (step.way * speed, 0.0, 0.0)),)),
        Rule(Near("Ball", step.opposite(FLOOR + RADIUS), 0.01), (Hold("Ball"),)),
    )


def _strange(delay: float, speed: float, step: Step, change: str) -> tuple[Rule, ...]:
    if change == "float":
        return (Rule(After(delay), (Glide("Ball", step.opposite(FLOOR + step.height + RADIUS), speed),)),)
    return (
        Rule(After(delay), (Glide("Ball", step.rolling(CLEAR), speed),)),
        Rule(Arrived("Ball"), (Release("Ball"),)),
    )


def _box(wood: str, step: Step) -> tuple[Body, ...]:
    middle = step.outside + step.way * step.length / 2
    block = board(
        "Block", (middle, FLOOR + step.height / 2, -0.13), (step.length, step.height, 0.8), wood, role="block"
    )
    floor = board("Box/Bottom", (MIDDLE, 10.276, -0.13), (4, 0.1, 1), wood, role="floor")
    return (
        replace(block, friction=0.0),  # published: a ball keeps its speed along both
        replace(floor, friction=0.0),
        board("Box/Left", (1.861, 11.726, -0.13), (0.1, 2.8, 1), wood, role="wall"),
        board("Box/Right", (5.761, 11.726, -0.13), (0.1, 2.8, 1), wood, role="wall"),
        board("Box/Top", (MIDDLE, 13.176, -0.13), (4, 0.1, 1), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (3.8, 2.8, 0.1), "Pole"),
        board("Box/LeftCover", (2.161, 11.726, -0.58), (0.5, 2.8, 0.1), wood, role="curtain"),
        board("Box/RightCover", (5.461, 11.726, -0.58), (0.5, 2.8, 0.1), wood, role="curtain"),
    )
