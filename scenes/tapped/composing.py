"""Objects composed of parts: the parts as bodies of a scene. They move with the hull."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from scenes.audit.geometry import rotations
from scenes.scene import Body, Box, Cylinder, Quaternion, Sphere, Vector
from scenes.tapped.shapes import named_shape, upright
from scenes.tapped.things import TappedObject
from scenes.trajectory import Trajectory

SCALE = 10.0
PART = "part"  # role
KINDS: dict[str, type[Body]] = {"box": Box, "cylinder": Cylinder, "sphere": Sphere}
ASKEW = 22.0  # degrees to either side
BRIGHTEST = 0.97


@dataclass(frozen=True)
class Pose:
    """An object's pose: its turn, and the point that a stick taps, from its middle, in the set's metres."""

    turn: Quaternion
    tapped_at: Vector


def pose_of(thing: TappedObject, rng: Generator) -> Pose:
    turn = upright(float(rng.uniform(-ASKEW, ASKEW)))
    x, y, z = rotations(np.array(turn)) @ np.array(named_shape(thing.shape).tapped_at) * thing.edge * SCALE
    return Pose(turn, (float(x), float(y), float(z)))


def part_bodies(thing: TappedObject, hull: Body) -> tuple[Body, ...]:
    """The object's parts, to be placed by `followed`."""
    material, colour = thing.surface
    by = thing.edge * SCALE
    return tuple(
        KINDS[part.kind](
            name=f"{hull.name}/{number}",
            size=(part.size[0] * by, part.size[1] * by, part.size[2] * by),
            position=hull.position,
            role=PART,
            material=material,
            colour=(_toned(colour[0], part.tone), _toned(colour[1], part.tone), _toned(colour[2], part.tone)),
            motion="guided",
            is_solid=False,
        )
        for number, part in enumerate(named_shape(thing.shape).parts)
    )


def _toned(value: float, tone: float) -> float:
    """Darker, or so much nearer to white."""
    return value * tone if tone <= 1 else min(BRIGHTEST, value + (tone - 1) * (1 - value))


def followed(trajectory: Trajectory, thing: TappedObject, hull: str) -> Trajectory:
    """The trajectory with every part placed on the hull."""
    parts, columns = named_shape(thing.shape).parts, trajectory.with_role(PART)
    own = trajectory.names[hull]
    turns = trajectory.orientation[:, own].astype(float)
    turned, middle = rotations(turns), trajectory.position[:, own].astype(float)
    position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
    for part, column in zip(parts, columns, strict=True):
        position[:, column] = middle + turned @ np.array(part.place) * thing.edge * SCALE
        orientation[:, column] = _product(turns, np.array(part.turn))
    return trajectory.changed(position=position, orientation=orientation)


def turned_by(second: Quaternion, first: Quaternion) -> Quaternion:
    """The second turn after the first."""
    w, x, y, z = _product(np.array(second), np.array(first))
    return (float(w), float(x), float(y), float(z))


def _product(left: NDArray, right: NDArray) -> NDArray[np.float64]:
    """Hamilton's product of quaternions."""
    w, x, y, z = np.moveaxis(left, -1, 0)
    a, b, c, d = right
    return np.stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ],
        axis=-1,
    )
