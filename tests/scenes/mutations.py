"""Mutations of a valid trajectory that the audit must find. Each names the clip that it is applied to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera
from scenes.trajectory import Trajectory

Spoil = Callable[[Trajectory], Trajectory]
Floats = NDArray[np.floating]
HALF = 250
ARRAYS = ("position", "orientation", "colour", "visible")
STAYS = 1  # a clip of test 15 whose plausible block stays on the beam; in the usual one it falls


@dataclass(frozen=True)
class Mutation:
    what: str
    scene: str
    spoil: Spoil
    label: str = ""  # claimed label, if it is not the clip's own
    index: int = 2  # of the clip


def of_trajectory(edit: Callable[..., Trajectory]) -> Callable[..., Spoil]:
    """A mutation that makes another trajectory of the whole one, with these values."""
    return lambda *values, **how: lambda trajectory: edit(trajectory, *values, **how)


def edited(*arrays: str, bodies: int = 1) -> Callable[[Callable[..., None]], Callable[..., Spoil]]:
    """A mutation that edits copies of named bodies' states in place, one of each of these arrays [states, …]."""

    def mutation(edit: Callable[..., None]) -> Callable[..., Spoil]:
        @of_trajectory
        def of_bodies(trajectory: Trajectory, *values: Any, **how: Any) -> Trajectory:
            copies = {array: getattr(trajectory, array).copy() for array in arrays}
            columns = [trajectory.names[name] for name in values[:bodies]]
            edit(*(copy[:, column] for copy in copies.values() for column in columns), *values[bodies:], **how)
            return trajectory.changed(**copies)

        return of_bodies

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


@edited("position", bodies=2)
def followed(path: Floats, other: Floats, offset: tuple[float, float, float]) -> None:
    """The body follows another body."""
    path[:] = other + np.array(offset, dtype=np.float32)


@edited("position", bodies=2)
def in_the_way(path: Floats, ball: Floats) -> None:
    """The body is from the start in the ball's way."""
    path[:, 0] = (ball[0, 0] + ball[-1, 0]) / 2


@edited("position", bodies=2)
def swapped(path: Floats, other: Floats) -> None:
    path[:], other[:] = other.copy(), path.copy()


def of_states(trajectory: Trajectory, states: Any) -> Trajectory:
    """These states in place of the trajectory's own."""
    return trajectory.changed(**{name: getattr(trajectory, name)[states] for name in ARRAYS})


@of_trajectory
def begun_later(trajectory: Trajectory, states: int) -> Trajectory:
    """The first states are cut, and the end is extended by as much."""
    return of_states(trajectory, np.minimum(np.arange(len(trajectory)) + states, len(trajectory) - 1))


def reversed_in_time(trajectory: Trajectory) -> Trajectory:
    return of_states(trajectory, np.arange(len(trajectory))[::-1])


def at_once(trajectory: Trajectory) -> Trajectory:
    """The first motion begins at once."""
    moving = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-5
    return begun_later(int(np.argmax(moving)))(trajectory)


@of_trajectory
def mirrored(trajectory: Trajectory, name: str, *, start: int = 0) -> Trajectory:
    """The body is on the other side of the tray from this state on."""
    position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
    column, wall = trajectory.names[name], trajectory.names["Box/Wall4"]
    position[start:, column, 1] = 2 * position[0, wall, 1] - position[start:, column, 1]
    orientation[start:, column, 1:] *= -1
    return trajectory.changed(position=position, orientation=orientation)


@of_trajectory
def with_facts(trajectory: Trajectory, name: str, **facts: Any) -> Trajectory:
    bodies = tuple(replace(body, **facts) if body.name == name else body for body in trajectory.description.bodies)
    return trajectory.changed(description=replace(trajectory.description, bodies=bodies))


@of_trajectory
def without(trajectory: Trajectory, name: str) -> Trajectory:
    """The body was never there."""
    kept = [column for body, column in trajectory.names.items() if body != name]
    bodies = tuple(trajectory.description.bodies[column] for column in kept)
    arrays = {key: getattr(trajectory, key)[:, kept] for key in ARRAYS}
    return trajectory.changed(description=replace(trajectory.description, bodies=bodies), **arrays)


def cut_short(trajectory: Trajectory) -> Trajectory:
    return trajectory.changed(**{name: getattr(trajectory, name)[:300] for name in ("time", *ARRAYS)})


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
    Mutation("no delay", "P_SolidityContinuity", begun_later(150)),
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
    Mutation(
        "a place that is no number", "P_Collision", moved("StationaryBall", (np.nan,) * 3, start=HALF, end=HALF + 1)
    ),
    Mutation("another clock", "P_Gravity", other_clock),
    # of permanence: tests 1, 4, 6, 7 and 8; and of falling and rolling things: 11 to 13, 15 and 16
    Mutation("a change labelled plausible", "IP_Unchangeableness", unspoilt, "plausible"),
    Mutation("nothing changes", "P_Unchangeableness", unspoilt, "implausible"),
    Mutation("recoloured in plain view", "P_Unchangeableness", recoloured("Object1", (1, 1, 1), start=495)),
    Mutation("one goes", "P_Unchangeableness", vanishing("Object1", start=HALF)),
    Mutation("another comes beside it", "P_Unchangeableness", shown("Substitute", start=HALF)),
    Mutation("a second one changes too", "IP_Unchangeableness", recoloured("Object3", (1, 1, 1), start=HALF)),
    Mutation("the new one stands aside", "IP_Unchangeableness", moved("Substitute", (0.3, 0, 0))),
    Mutation("a change to its like", "IP_Unchangeableness", with_facts("Substitute", shape="box")),
    Mutation("one floats", "P_Unchangeableness", moved("Object1", (0, 0, 0.2))),
    Mutation("one is moved while unseen", "P_Unchangeableness", moved("Object1", (0.2, 0, 0), start=HALF)),
    Mutation("the screen stays up", "P_Unchangeableness", frozen("Cover", share=0.6)),
    Mutation("the screen is too low", "IP_Unchangeableness", slowed("Cover")),
    Mutation("no screen", "IP_Unchangeableness", without("Cover")),
    Mutation("no delay", "P_Unchangeableness", at_once),
    Mutation("through a floor, labelled plausible", "IP_SolidityContinuity2", unspoilt, "plausible"),
    Mutation("at the end below the floor", "P_SolidityContinuity2", moved("Ball", (0, 0, -0.31), start=490)),
    Mutation("rests on neither floor", "P_SolidityContinuity2", moved("Ball", (0, 0, 0.1), start=480)),
    Mutation("stops within the floor", "IP_SolidityContinuity2", moved("Ball", (0, 0, 0.2), start=480)),
    Mutation("a gap wide enough", "IP_SolidityContinuity2", moved("UpperFloorLeft", (-0.3, 0, 0))),
    Mutation("the upper floor stands aside", "P_SolidityContinuity2", moved("UpperFloorRight", (0, 0, -0.25))),
    Mutation("half the gravity", "P_SolidityContinuity2", slowed("Ball")),
    Mutation("the occluder stays", "IP_SolidityContinuity2", frozen("Occluder", share=0)),
    Mutation("the occluder is not there", "IP_SolidityContinuity2", vanishing("Occluder")),
    Mutation("the missing ball labelled plausible", "IP_ObjectPermanence", unspoilt, "plausible"),
    Mutation("the ball is there all the time", "IP_ObjectPermanence", shown("Ball")),
    Mutation("goes in plain view", "P_ObjectPermanence", vanishing("Ball", start=450, end=470)),
    Mutation("never comes back", "P_ObjectPermanence", vanishing("Ball", start=HALF)),
    Mutation("a screen without a dip", "IP_ObjectPermanence", with_facts("Screen/Low", size=(1.5, 0.05, 1.0))),
    Mutation("the high parts are gone", "IP_ObjectPermanence", moved("Screen/Left", (0, 0, 1))),
    Mutation("waits behind the screen", "P_ObjectPermanence", paused("Ball", 30)),
    Mutation("stuck halfway", "P_ObjectPermanence", frozen("Ball", share=0.5)),
    Mutation("hops over the dip", "P_ObjectPermanence", moved("Ball", (0, 0, 0.1), start=200, end=260)),
    Mutation("through the box, labelled plausible", "IP_ObjectPermanence3", unspoilt, "plausible"),
    Mutation("the box stays where the plank is", "IP_ObjectPermanence3", shown("Box")),
    Mutation("the box does not come back", "IP_ObjectPermanence3", vanishing("Box", start=HALF)),
    Mutation("the box goes for a while", "P_ObjectPermanence3", vanishing("Box", start=200, end=240)),
    Mutation("the box is never there", "P_ObjectPermanence3", vanishing("Box")),
    Mutation("stopped before the box", "P_ObjectPermanence3", moved("Box", (0, 0.3, 0))),
    Mutation("stopped inside the box", "P_ObjectPermanence3", moved("Box", (0, -0.2, 0))),
    Mutation("the plank does not turn", "P_ObjectPermanence3", stiff("Plank")),
    Mutation("the plank leaves its hinge", "IP_ObjectPermanence3", moved("Plank", (0, 0, 0.1), start=HALF)),
    Mutation("the plank stays up", "P_ObjectPermanence3", held_up("Plank", share=0.5)),
    Mutation("the plank never moves", "P_ObjectPermanence3", held_up("Plank", share=0)),
    Mutation("the same side labelled plausible", "IP_Inertia", unspoilt, "plausible"),
    Mutation("the other side labelled implausible", "P_Inertia", unspoilt, "implausible"),
    Mutation("too flat an angle back", "P_Inertia", askew_way_back("Ball", by=0.15)),
    Mutation("comes back beside its way", "IP_Inertia", askew_way_back("Ball", by=0.15)),
    Mutation("stays at the wall", "P_Inertia", frozen("Ball", share=0.5)),
    Mutation("waits on its way", "P_Inertia", paused("Ball", 30)),
    Mutation("turns before the wall", "P_Inertia", moved("Box/Wall4", (-0.4, 0, 0))),
    Mutation("turns beside the line", "IP_Inertia", moved("Box/Line", (0, 0.2, 0))),
    Mutation("jumps to the other side", "P_Inertia", moved("Ball", (0, 0.4, 0), start=HALF)),
    Mutation("half the speed", "IP_Inertia", slowed("Ball")),
    Mutation("no cover", "P_Inertia", vanishing("Box/StartCover")),
    Mutation("the cover lies elsewhere", "P_Inertia", moved("Box/StartCover", (-1.5, 0, 0))),
    Mutation("begins at the end", "IP_ObjectPermanence", reversed_in_time),
    Mutation("a strange fall labelled plausible", "IP_GravityInertia2", unspoilt, "plausible"),
    Mutation("a true fall labelled implausible", "P_GravityInertia2", unspoilt, "implausible"),
    Mutation("the ball runs on through the air", "P_GravityInertia2", levelled("Ball")),
    Mutation("lands above the floor", "P_GravityInertia2", stretched_fall("Ball", 0.8)),
    Mutation("half the gravity", "P_GravityInertia2", slowed("Ball")),
    Mutation("stops in the air", "P_GravityInertia2", frozen("Ball", share=0.6)),
    Mutation("waits on its way", "IP_GravityInertia2", paused("Ball", 30)),
    Mutation("never starts", "P_GravityInertia2", frozen("Ball", share=0)),
    Mutation("the block stands aside", "P_GravityInertia2", moved("Block", (0, 0, -0.3))),
    Mutation("no block", "IP_GravityInertia2", without("Block")),
    Mutation("up onto the block", "P_GravityInertia2", reversed_in_time),
    Mutation("jumps while it falls", "P_GravityInertia2", moved("Ball", (0.4, 0, 0), start=HALF)),
    Mutation("no curtains", "P_GravityInertia2", vanishing("Box/LeftCover")),
    Mutation("behind the plank, labelled plausible", "IP_Continuity", unspoilt, "plausible"),
    Mutation("the open corner, labelled implausible", "P_Continuity", unspoilt, "implausible"),
    Mutation("the plank on the other side", "P_Continuity", mirrored("Barrier")),
    Mutation("the plank hangs over the way", "IP_Continuity", moved("Barrier", (0, 0, 0.5))),
    Mutation("the plank leaves a gap", "IP_Continuity", moved("Barrier", (0.15, 0, 0))),
    Mutation("no plank", "IP_Continuity", without("Barrier")),
    Mutation("a low plank", "P_Continuity", with_facts("Barrier", size=(1.7, 0.05, 0.05))),
    Mutation("stopped at the plank", "IP_Continuity", frozen("Ball", share=0.85)),
    Mutation("found in the other corner", "P_Continuity", mirrored("Ball", start=450)),
    Mutation("the cover stays", "P_Continuity", frozen("EndCover", share=0)),
    Mutation("the cover is not there", "IP_Continuity", vanishing("EndCover")),
    Mutation("the cover opens at once", "P_Continuity", early("EndCover")),
    Mutation("waits on its way", "P_Continuity", paused("Ball", 30)),
    Mutation("half the speed", "IP_Continuity", slowed("Ball")),
    Mutation("out of the corner", "IP_Continuity", reversed_in_time),
    Mutation("the other corner, labelled plausible", "IP_Inertia2", unspoilt, "plausible"),
    Mutation("its own corner, labelled implausible", "P_Inertia2", unspoilt, "implausible"),
    Mutation("jumps when the cover is open", "P_Inertia2", mirrored("Ball", start=480)),
    Mutation("jumps on its way", "P_Inertia2", mirrored("Ball", start=150)),
    Mutation("carried over instead of jumping", "IP_Inertia2", smoothed_jump("Ball")),
    Mutation("stops short of the corner", "P_Inertia2", moved("Ball", (0.3, 0, 0))),
    Mutation("stuck halfway", "P_Inertia2", frozen("Ball", share=0.5)),
    Mutation("speeds up", "P_Inertia2", speeding_up("Ball")),
    Mutation("the cover is pulled halfway", "IP_Inertia2", frozen("EndCover", share=0.5)),
    Mutation("no cover at the start", "P_Inertia2", vanishing("Box/StartCover")),
    Mutation("the line is gone", "P_Inertia2", without("Box/Line")),
    Mutation("no walls at the side", "IP_Inertia2", without("Box/Wall1")),
    Mutation("beyond the gap, labelled plausible", "IP_GravityContinuity", unspoilt, "plausible"),
    Mutation("below, labelled implausible", "P_GravityContinuity", unspoilt, "implausible"),
    Mutation("over the gap in plain view", "IP_GravityContinuity", vanishing("Occluder")),
    Mutation("runs over the gap", "P_GravityContinuity", levelled("Ball")),
    Mutation("hovers over the lower shelf", "P_GravityContinuity", stretched_fall("Ball", 0.7)),
    Mutation("stops at the gap", "IP_GravityContinuity", frozen("Ball", share=0.6)),
    Mutation("falls where there is no gap", "P_GravityContinuity", moved("UpperShelfBeyond", (0.28, 0, 0))),
    Mutation("a narrow gap", "IP_GravityContinuity", with_facts("UpperShelfBeyond", size=(1.3, 0.85, 0.01))),
    Mutation("the shelves are not level", "IP_GravityContinuity", moved("UpperShelfBeyond", (0, 0, -0.1))),
    Mutation("the far shelf is gone", "IP_GravityContinuity", without("UpperShelfBeyond")),
    Mutation("the occluder stays", "P_GravityContinuity", frozen("Occluder", share=0)),
    Mutation("the occluder goes down at once", "P_GravityContinuity", early("Occluder")),
    Mutation("jumps at the end", "P_GravityContinuity", moved("Ball", (0.3, 0, 0.31), start=480)),
    Mutation("half the speed", "P_GravityContinuity", slowed("Ball")),
    Mutation("waits on its way", "IP_GravityContinuity", paused("Ball", 30)),
    Mutation("over the edge, labelled plausible", "IP_GravitySupport", unspoilt, "plausible"),
    Mutation("on the beam, labelled implausible", "P_GravitySupport", unspoilt, "implausible", index=STAYS),
    Mutation("the beam is too short", "P_GravitySupport", with_facts("Beam", size=(1.2, 0.6, 0.6)), index=STAYS),
    Mutation("the beam is long enough", "IP_GravitySupport", with_facts("Beam", size=(6.0, 0.6, 0.6))),
    Mutation("no beam", "IP_GravitySupport", without("Beam")),
    Mutation("the block sinks", "IP_GravitySupport", moved("Block", (0, 0, -0.3), start=450)),
    Mutation("the block floats over the beam", "P_GravitySupport", moved("Block", (0, 0, 0.1)), index=STAYS),
    Mutation("jumps over the edge", "P_GravitySupport", moved("Block", (-1.2, 0, 0), start=HALF), index=STAYS),
    Mutation("moves by itself", "P_GravitySupport", frozen("Rod", share=0), index=STAYS),
    Mutation("the rod stays", "IP_GravitySupport", frozen("Rod", share=0.4)),
    Mutation("is not pushed", "P_GravitySupport", frozen("Block", share=0), index=STAYS),
    Mutation("half the speed", "IP_GravitySupport", slowed("Block")),
    Mutation("waits on its way", "P_GravitySupport", paused("Block", 30), index=STAYS),
    Mutation("the other way round", "P_GravitySupport", reversed_in_time, index=STAYS),
    Mutation("the rod is not there", "P_GravitySupport", without("Rod"), index=STAYS),
    Mutation("it falls, labelled implausible", "P_GravitySupport", unspoilt, "implausible"),
    Mutation("falls from the middle of the beam", "P_GravitySupport", with_facts("Beam", size=(6.0, 0.6, 0.6))),
    Mutation("falls half of the way", "P_GravitySupport", stretched_fall("Block", 0.5)),
    Mutation("turns in the air and hangs there", "P_GravitySupport", levelled("Block")),
    Mutation("falls by itself", "P_GravitySupport", frozen("Rod", share=0)),
    Mutation("falls and jumps up again", "P_GravitySupport", moved("Block", (0, 0, 0.5), start=HALF, end=HALF + 20)),
)
