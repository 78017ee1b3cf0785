"""Direction and Movement: a ball in a tray, seen straight from above."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, room
from scenes.scene import After, Body, Camera, Glide, Profile, Scene, TriggeredAction

CAMERA = Camera(at(3.263, 14.395, -8.630), at(3.263, 10.274, -8.630), up=(0.0, 1.0, 0.0))
FLOOR = 10.324  # metres
DIAMETER = {"faithful": 0.4, "corrected": 0.46}  # metres, of the ball
LEFT, RIGHT, NEAR, FAR = 0.947, 5.347, -10.830, -6.430  # metres: where paths of a ball of 0.4 m start and end

Spot = tuple[float, float]  # x, depth


@dataclass(frozen=True)
class Path:
    start: Spot
    end: Spot


def direction(rng: Generator, label: str, profile: Profile) -> Scene:
    """A ball that crosses the tray straight; forward is up in the picture."""
    lateral = float(rng.uniform(0, 1))
    x, depth = LEFT + lateral * (RIGHT - LEFT), NEAR + lateral * (FAR - NEAR)
    paths = {
        "forward": Path((x, NEAR), (x, FAR)),
        "backward": Path((x, FAR), (x, NEAR)),
        "left": Path((RIGHT, depth), (LEFT, depth)),
        "right": Path((LEFT, depth), (RIGHT, depth)),
    }
    return _tray(rng, "Direction", label, paths[label], DIAMETER[profile])


def movement(rng: Generator, label: str, profile: Profile) -> Scene:
    """A ball that moves askew from one side to the opposite one, or not at all."""
    first, second = float(rng.uniform(0, 1)), float(rng.uniform(0, 1))
    side = int(rng.integers(4))
    here, there = (LEFT + first * (RIGHT - LEFT), NEAR + second * (FAR - NEAR)), LEFT + second * (RIGHT - LEFT)
    if label == "false":
        return _tray(rng, "Movement", label, Path(here, here), DIAMETER[profile])
    across = NEAR + first * (FAR - NEAR)
    paths = (
        Path((LEFT, across), (RIGHT, here[1])),
        Path((RIGHT, across), (LEFT, here[1])),
        Path((here[0], NEAR), (there, FAR)),
        Path((here[0], FAR), (there, NEAR)),
    )
    return _tray(rng, "Movement", label, paths[side], DIAMETER[profile])


def _tray(rng: Generator, test: str, label: str, path: Path, diameter: float) -> Scene:
    delay, colour = chance.delay(rng, 0, 150), chance.strong_colour(rng)
    speed = float(rng.uniform(1.5, 2.5))
    start, end, rest = _inside(path.start, diameter), _inside(path.end, diameter), FLOOR + diameter / 2
    thing = ball("Ball", diameter, (start[0], rest, start[1]), colour)
    target = at(end[0], rest, end[1])
    is_moving = start != end
    return Scene(
        test=test,
        label=label,
        bodies=(*room(), *_boards(), thing),
        camera=CAMERA,
        rules=(TriggeredAction(After(delay), (Glide("Ball", target, speed),)),) if is_moving else (),
        parameters={"delay": delay, "speed": speed, "x": start[0], "depth": start[1]},
    )


def _inside(spot: Spot, diameter: float) -> Spot:
    """The spot, moved so far from the walls that a ball of this size fits."""
    room = max(0.0, (diameter - 0.4) / 2)
    return min(max(spot[0], LEFT + room), RIGHT - room), min(max(spot[1], NEAR + room), FAR - room)


def _boards() -> tuple[Body, ...]:
    return (
        board("Tray/Bottom", (3.146, 10.274, -8.630), (5, 0.1, 5), "Pole"),
        board("Tray/Near", (3.146, 10.574, -11.080), (5, 0.5, 0.1), "Plywood"),
        board("Tray/Far", (3.146, 10.574, -6.180), (5, 0.5, 0.1), "Plywood"),
        board("Tray/Right", (5.597, 10.574, -8.630), (0.1, 0.5, 4.8), "Plywood"),
        board("Tray/Left", (0.697, 10.574, -8.630), (0.1, 0.5, 4.8), "Plywood"),
    )
