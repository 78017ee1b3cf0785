"""Contacts of a moving thing, read from the physics: blows with their impulse, rubbing with its speed.

Lengths, speeds and impulses are of the true size, a tenth of the set's.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.physics.mujoco_engine import World, has_free_bodies, simulate_in
from scenes.scene import STEP, Scene
from scenes.tapped.composing import SCALE, followed
from scenes.tapped.staging import BODY, TIP_NAME
from scenes.tapped.things import TappedObject
from scenes.trajectory import Trajectory

SUBSTEPS = 40  # half a millisecond each; a blow lasts several of them
BLOW = 4.0  # times the weight: a larger force is a blow, a smaller one that of a thing at rest
STICK_MASS = 0.03  # kilograms


@dataclass(frozen=True)
class Blow:
    """An impact at this second with this impulse in newton seconds."""

    seconds: float
    impulse: float


@dataclass(frozen=True)
class Touches:
    """All sources of sound: blows, and the thing's speed of rubbing or rolling over the table in each recorded
    state."""

    blows: tuple[Blow, ...]
    rubbing: NDArray[np.float64]  # metres a second, one value every 0.02 s
    rolling: NDArray[np.float64]


class SoundingWorld(World):
    """The physics world with finer steps, which records the contact forces on the thing."""

    substeps = SUBSTEPS

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.forces: list[float] = []  # newtons between the thing and anything else, one for each substep
        self.own = self.model.geom(BODY).id

    def step(self, count: int) -> None:
        for _ in range(count):
            super().step(1)
            self.forces.append(self._force() / SCALE)

    def _force(self) -> float:
        """Newtons at the thing's contacts now."""
        force, total = np.zeros(6), 0.0
        for number in range(self.data.ncon):
            if self.own in self.data.contact[number].geom:
                mujoco.mj_contactForce(self.model, self.data, number, force)
                total += abs(force[0])
        return total


def simulate_touches(scene: Scene, thing: TappedObject) -> tuple[Trajectory, Touches]:
    """Simulate the scene and its contacts; the same scene always gives the same result."""
    world = SoundingWorld(scene) if has_free_bodies(scene) else None
    trajectory = followed(simulate_in(scene, world), thing, BODY)
    return trajectory, _touches(trajectory, thing, world.forces if world else [])


def _touches(trajectory: Trajectory, thing: TappedObject, forces: list[float]) -> Touches:
    position = trajectory.position[:, trajectory.names[BODY]].astype(float) / SCALE
    speed = np.append(np.linalg.norm(np.diff(position[:, :2], axis=0), axis=1) / STEP, 0.0)
    still = np.zeros(len(speed))
    if thing.action == "tapped":
        return Touches(tuple(_taps(trajectory, thing)), still, still)
    if thing.action == "scraped":
        return Touches((), speed, still)
    blows = tuple(_blows(forces, thing))
    return Touches(blows, still, speed if thing.action == "rolled" else still)


def _taps(trajectory: Trajectory, thing: TappedObject) -> list[Blow]:
    """Blows where the stick's tip reaches the thing's top; its momentum reverses as for the two masses' reduced
    mass."""
    tip = trajectory.position[:, trajectory.names[TIP_NAME], 2].astype(float) / SCALE
    bottom = tip.min()
    is_down = tip < bottom + 1e-6
    starts = np.flatnonzero(is_down & ~np.append(False, is_down[:-1]))
    falls = np.append(0.0, np.diff(tip))
    reduced = STICK_MASS * thing.mass / (STICK_MASS + thing.mass)
    return [
        Blow(
            float(trajectory.time[state]),
            float(reduced * (1 + thing.made_of.bounce) * -falls[: state + 1].min() / STEP),
        )
        for state in starts
    ]


def _blows(forces: list[float], thing: TappedObject) -> list[Blow]:
    """Blows: each stretch of force far above the weight is summed to one impulse."""
    force, second = np.array(forces), STEP / SUBSTEPS
    is_blow = force > BLOW * thing.mass * 9.81
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_blow, [False]]).astype(int)))
    return [
        Blow(float(start * second), float(force[start:end].sum() * second))
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]
