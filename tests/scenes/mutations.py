"""Mutations of a valid trajectory that the audit must find. Each names the clip that it is applied to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scenes.scene import Camera
from scenes.trajectory import Trajectory

Spoil = Callable[[Trajectory], Trajectory]
HALF = 250


@dataclass(frozen=True)
class Mutation:
    what: str
    scene: str
    spoil: Spoil
    label: str = ""  # claimed label, if it is not the clip's own
    index: int = 2  # of the clip


def moved(name: str, by: tuple[float, float, float], *, start: int = 0, end: int = 500) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        position[start:end, trajectory.names[name]] += np.array(by, dtype=np.float32)
        return trajectory.changed(position=position)

    return spoil


def recoloured(name: str, colour: tuple[float, float, float], *, start: int = 0) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        colours = trajectory.colour.copy()
        colours[start:, trajectory.names[name]] = colour
        return trajectory.changed(colour=colours)

    return spoil


def vanishing(name: str, *, start: int = 0) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        visible = trajectory.visible.copy()
        visible[start:, trajectory.names[name]] = False
        return trajectory.changed(visible=visible)

    return spoil


def frozen(name: str, *, share: float) -> Spoil:
    """The body stays where it is after this share of its motion."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        column = trajectory.names[name]
        moving = np.flatnonzero(np.abs(np.diff(position[:, column], axis=0)).max(axis=1) > 1e-5)
        frame = int(moving[0] + share * (moving[-1] - moving[0]))
        position[frame:, column] = position[frame, column]
        return trajectory.changed(position=position)

    return spoil


def paused(name: str, states: int) -> Spoil:
    """The body waits so long in the middle of its way, then continues."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        moving = np.flatnonzero(np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-5)
        middle = int(moving.mean())
        position[:, trajectory.names[name]] = np.concatenate(
            [path[:middle], np.repeat(path[middle : middle + 1], states, axis=0), path[middle:]]
        )[: len(path)]
        return trajectory.changed(position=position)

    return spoil


def followed(name: str, source: str, offset: tuple[float, float, float]) -> Spoil:
    """The body follows another body."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        position[:, trajectory.names[name]] = position[:, trajectory.names[source]] + np.array(offset, dtype=np.float32)
        return trajectory.changed(position=position)

    return spoil


def in_the_way(name: str, ball: str) -> Spoil:
    """The body is from the start in the ball's way."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[ball], 0]
        position[:, trajectory.names[name], 0] = (path[0] + path[-1]) / 2
        return trajectory.changed(position=position)

    return spoil


def swapped(first: str, second: str) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        position, one, other = trajectory.position.copy(), trajectory.names[first], trajectory.names[second]
        position[:, [one, other]] = position[:, [other, one]]
        return trajectory.changed(position=position)

    return spoil


def reversed_in_time(trajectory: Trajectory) -> Trajectory:
    arrays = ("position", "orientation", "colour", "visible")
    return trajectory.changed(**{name: getattr(trajectory, name)[::-1].copy() for name in arrays})


def slowed(name: str) -> Spoil:
    """The whole motion at half the speed."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        position[:, trajectory.names[name]] = path[np.arange(len(path)) // 2]
        return trajectory.changed(position=position)

    return spoil


def smoothed_jump(name: str) -> Spoil:
    """The jump becomes a glide of a second."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        jump = int(np.argmax(np.linalg.norm(np.diff(path, axis=0), axis=1)))
        share = np.linspace(0, 1, 50)[:, None]
        path[jump - 49 : jump + 1] = path[jump - 49] * (1 - share) + path[jump + 1] * share
        return trajectory.changed(position=position)

    return spoil


def with_facts(name: str, **facts: Any) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        bodies = tuple(replace(body, **facts) if body.name == name else body for body in trajectory.description.bodies)
        return trajectory.changed(description=replace(trajectory.description, bodies=bodies))

    return spoil


def without(name: str) -> Spoil:
    """The body was never there."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        kept = [column for body, column in trajectory.names.items() if body != name]
        bodies = tuple(trajectory.description.bodies[column] for column in kept)
        arrays = {key: getattr(trajectory, key)[:, kept] for key in ("position", "orientation", "colour", "visible")}
        return trajectory.changed(description=replace(trajectory.description, bodies=bodies), **arrays)

    return spoil


def unknown_place(trajectory: Trajectory) -> Trajectory:
    position = trajectory.position.copy()
    position[HALF, -1] = np.nan
    return trajectory.changed(position=position)


def cut_short(trajectory: Trajectory) -> Trajectory:
    arrays = ("time", "position", "orientation", "colour", "visible")
    return trajectory.changed(**{name: getattr(trajectory, name)[:300] for name in arrays})


def hurried(trajectory: Trajectory) -> Trajectory:
    """The first two seconds are cut, and the end is extended by as much."""
    frames = np.minimum(np.arange(len(trajectory)) + 150, len(trajectory) - 1)
    arrays = ("position", "orientation", "colour", "visible")
    return trajectory.changed(**{name: getattr(trajectory, name)[frames] for name in arrays})


def other_clock(trajectory: Trajectory) -> Trajectory:
    return trajectory.changed(time=trajectory.time * 2)


def looking_away(trajectory: Trajectory) -> Trajectory:
    camera = trajectory.description.camera
    focus = tuple(2 * here - there for here, there in zip(camera.position, camera.focus, strict=True))
    turned = Camera(camera.position, (focus[0], focus[1], focus[2]), camera.up)
    return trajectory.changed(description=replace(trajectory.description, camera=turned))


def unspoilt(trajectory: Trajectory) -> Trajectory:
    return trajectory


MUTATIONS = (
    Mutation("a ball labelled cube", "ShapeBall", unspoilt, "cube"),
    Mutation("the ball is a box", "ShapeBall", with_facts("Object", shape="box")),
    Mutation("the cube is a brick", "ShapeCube", with_facts("Object", size=(1.0, 1.0, 2.0))),
    Mutation("red turns blue halfway", "ColorRed", recoloured("Object", (0, 0, 1), start=HALF)),
    Mutation("blue instead of red", "ColorRed", recoloured("Object", (0, 0, 1))),
    Mutation("a colour without a name", "ColorGreen", recoloured("Object", (0.5, 0.7, 0.1))),
    Mutation("a colour out of range", "ColorGreen", recoloured("Object", (0, 2, 0))),
    Mutation("the object jumps aside", "ColorBlue", moved("Object", (1, 0, 0), start=HALF)),
    Mutation("the object vanishes", "ColorGreen", vanishing("Object", start=HALF)),
    Mutation("the object floats over the table", "ColorBlack", moved("Object", (0, 0, 0.5))),
    Mutation("the camera looks away", "ColorRed", looking_away),
    Mutation("time runs backwards", "DirectionForward", reversed_in_time),
    Mutation("stuck halfway", "DirectionLeft", frozen("Ball", share=0.5)),
    Mutation("right labelled left", "DirectionRight", unspoilt, "left"),
    Mutation("jumps on its way", "DirectionBackward", moved("Ball", (0.3, 0, 0), start=HALF)),
    Mutation("never starts", "DirectionRight", frozen("Ball", share=0)),
    Mutation("nothing moves", "MovementTrue", frozen("Ball", share=0)),
    Mutation("a rest on the way", "MovementTrue", paused("Ball", 30)),
    Mutation("drifts by a hand's breadth", "MovementFalse", moved("Ball", (0.1, 0, 0), start=HALF)),
    Mutation("on the other side", "RelationalPositionLeft", moved("Ball", (-5.5, 0, 0))),
    Mutation("barrier beyond the ball", "RelationalPositionRight", moved("Barrier", (-5.2, 0, 0))),
    Mutation("barrier gone", "RelationalPositionRight", without("Barrier")),
    Mutation("two change places", "TwoObjectOrdering", swapped("Object1", "Object2")),
    Mutation("one repainted", "ThreeObjectOrdering", recoloured("Object2", (0.2, 0.9, 0.9))),
    Mutation("one is missing", "ThreeObjectOrdering", without("Object3")),
    Mutation("one unseen", "ThreeObjectOrdering", vanishing("Object1")),
    Mutation("the outer ones change places", "FourObjectOrdering", swapped("Object1", "Object4")),
    Mutation("recoloured in plain view", "P_Unchangeableness2", recoloured("Ball", (1, 1, 1), start=490)),
    Mutation("the violation is missing", "IP_Unchangeableness2", recoloured("Ball", (0.2, 0.3, 0.9))),
    Mutation("recoloured from the start", "IP_Unchangeableness2", unspoilt, "plausible"),
    Mutation("stuck behind the pillar", "P_Unchangeableness2", frozen("Ball", share=0.5)),
    Mutation("the pillar stands aside", "P_Unchangeableness2", moved("Pillar", (0, 0, 1.2))),
    Mutation("through the nearer barrier", "P_SolidityContinuity", in_the_way("InnerBarrier", "Ball")),
    Mutation("stops at neither barrier", "IP_SolidityContinuity", frozen("Ball", share=0.7)),
    Mutation("the barrier hangs over the way", "IP_SolidityContinuity", moved("InnerBarrier", (0, 0, 0.5))),
    Mutation("the occluder stays", "P_SolidityContinuity", frozen("Occluder", share=0)),
    Mutation("no delay", "P_SolidityContinuity", hurried),
    Mutation("jumps behind the screen", "P_ObjectPermanence2", moved("Block", (0.4, 0, 0), start=100, end=101)),
    Mutation("carried instead of jumping", "IP_ObjectPermanence2", smoothed_jump("Block")),
    Mutation("the rod rests", "P_ObjectPermanence2", frozen("Rod", share=0)),
    Mutation("a jump labelled plausible", "IP_ObjectPermanence2", unspoilt, "plausible"),
    Mutation("uphill", "P_Gravity", reversed_in_time),
    Mutation("downhill", "IP_Gravity", reversed_in_time),
    Mutation("stuck on the slope", "P_Gravity", frozen("Ball", share=0.5)),
    Mutation("above the plank", "IP_Gravity", moved("Ball", (0, 0, 0.4))),
    Mutation("hovers at the end", "P_GravityInertia", moved("Ball", (0, 0, 0.3), start=480)),
    Mutation("the floor comes up", "IP_GravityInertia", moved("Box/Platform", (0, 0, 0.32))),
    Mutation("half the gravity", "P_GravityInertia", slowed("Ball")),
    Mutation("hangs where it started", "IP_GravityInertia", frozen("Ball", share=0)),
    Mutation("the struck ball stays", "P_Collision", frozen("StationaryBall", share=0)),
    Mutation("the struck ball goes along", "IP_Collision", followed("StationaryBall", "DroppingBall", (0.2, 0, 0))),
    Mutation("a heavy ball", "P_Collision", with_facts("StationaryBall", mass=1000.0)),
    Mutation("a small ball", "P_Collision", with_facts("StationaryBall", size=(0.1, 0.1, 0.1))),
    Mutation("a place that is no number", "P_Collision", unknown_place),
    Mutation("another clock", "P_Gravity", other_clock),
)
