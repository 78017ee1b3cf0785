"""Mutations of a valid trajectory that the audit must find. Each names the clip that it is applied to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera
from scenes.trajectory import Trajectory

Spoil = Callable[[Trajectory], Trajectory]
Floats = NDArray[np.floating]
HALF = 250


@dataclass(frozen=True)
class Mutation:
    what: str
    scene: str
    spoil: Spoil
    label: str = ""  # claimed label, if it is not the clip's own
    index: int = 2  # of the clip


def edited(*arrays: str) -> Callable[[Callable[..., None]], Callable[..., Spoil]]:
    """A mutation that edits copies of a named body's states in place, one of each of these arrays [states, …]."""

    def mutation(edit: Callable[..., None]) -> Callable[..., Spoil]:
        @wraps(edit)
        def of_body(name: str, *values: Any, **how: Any) -> Spoil:
            def spoil(trajectory: Trajectory) -> Trajectory:
                copies = {array: getattr(trajectory, array).copy() for array in arrays}
                edit(*(copy[:, trajectory.names[name]] for copy in copies.values()), *values, **how)
                return trajectory.changed(**copies)

            return spoil

        return of_body

    return mutation


def moving(path: Floats) -> NDArray[np.intp]:
    """The states after which a body moves."""
    return np.flatnonzero(np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-5)


def at_share(path: Floats, share: float) -> int:
    """The state after this share of a body's motion."""
    first, *_, last = moving(path)
    return int(first + share * (last - first))


@edited("position")
def moved(path: Floats, by: tuple[float, float, float], *, start: int = 0, end: int = 500) -> None:
    path[start:end] += np.array(by, dtype=np.float32)


@edited("colour")
def recoloured(colours: Floats, colour: tuple[float, float, float], *, start: int = 0) -> None:
    colours[start:] = colour


@edited("visible")
def vanishing(visible: NDArray[np.bool_], *, start: int = 0, end: int | None = None) -> None:
    visible[start:end] = False


@edited("visible")
def shown(visible: NDArray[np.bool_], *, start: int = 0) -> None:
    visible[start:] = True


@edited("position")
def frozen(path: Floats, *, share: float) -> None:
    """The body stays where it is after this share of its motion."""
    path[at_share(path, share) :] = path[at_share(path, share)]


@edited("position", "orientation")
def held_up(path: Floats, turns: Floats, *, share: float) -> None:
    """The body keeps place and rotation after this share of its motion."""
    state = at_share(path, share)
    path[state:], turns[state:] = path[state], turns[state]


@edited("orientation")
def stiff(turns: Floats) -> None:
    """The body moves without turning."""
    turns[:] = turns[0]


@edited("position")
def paused(path: Floats, states: int) -> None:
    """The body waits so long in the middle of its way, then continues."""
    middle = int(moving(path).mean())
    path[:] = np.concatenate([path[:middle], path[middle : middle + 1].repeat(states, 0), path[middle:]])[: len(path)]


@edited("position")
def slowed(path: Floats) -> None:
    """The whole motion at half the speed."""
    path[:] = path[np.arange(len(path)) // 2]


@edited("position")
def smoothed_jump(path: Floats) -> None:
    """The jump becomes a glide of a second."""
    jump = int(np.argmax(np.linalg.norm(np.diff(path, axis=0), axis=1)))
    share = np.linspace(0, 1, 50)[:, None]
    path[jump - 49 : jump + 1] = path[jump - 49] * (1 - share) + path[jump + 1] * share


@edited("position")
def levelled(path: Floats) -> None:
    """The body never falls below its first height."""
    path[:, 2] = path[0, 2]


@edited("position")
def stretched_fall(path: Floats, share: float) -> None:
    """The body falls only this share of the way."""
    path[:, 2] = path[0, 2] + share * (path[:, 2] - path[0, 2])


@edited("position")
def early(path: Floats) -> None:
    """The motion begins at half a second."""
    path[:] = path[np.minimum(np.arange(len(path)) + max(int(moving(path)[0]) - 25, 0), len(path) - 1)]


@edited("position")
def speeding_up(path: Floats) -> None:
    """The same way with the speeds in reverse order."""
    first, *_, last = moving(path)
    way = path[first : last + 2]
    way[:] = way[0] + way[-1] - way[::-1]


@edited("position")
def askew_way_back(path: Floats, *, by: float) -> None:
    """On its way back the ball drifts aside, by so many metres at the end."""
    turn = int(np.argmin(path[:, 0]))
    path[turn:, 1] += by * (path[turn:, 0] - path[turn, 0]) / (path[-1, 0] - path[turn, 0])


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


def at_once(trajectory: Trajectory) -> Trajectory:
    """The first motion begins at once."""
    moving = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-5
    frames = np.minimum(np.arange(len(trajectory)) + int(np.argmax(moving)), len(trajectory) - 1)
    arrays = ("position", "orientation", "colour", "visible")
    return trajectory.changed(**{name: getattr(trajectory, name)[frames] for name in arrays})


def mirrored(name: str, *, start: int = 0) -> Spoil:
    """The body is on the other side of the tray from this state on."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
        column, wall = trajectory.names[name], trajectory.names["Box/Wall4"]
        position[start:, column, 1] = 2 * position[0, wall, 1] - position[start:, column, 1]
        orientation[start:, column, 1:] *= -1
        return trajectory.changed(position=position, orientation=orientation)

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
