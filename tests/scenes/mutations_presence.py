"""Mutations for the tests of permanence: 1, 4, 6, 7 and 8 of Level 2."""

import numpy as np

from scenes.trajectory import Trajectory
from tests.scenes.mutations import (
    HALF,
    Mutation,
    Spoil,
    frozen,
    moved,
    paused,
    recoloured,
    reversed_in_time,
    slowed,
    unspoilt,
    vanishing,
    with_facts,
    without,
)


def absent(name: str, start: int, end: int) -> Spoil:
    """The body is absent from one state to another."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        visible = trajectory.visible.copy()
        visible[start:end, trajectory.names[name]] = False
        return trajectory.changed(visible=visible)

    return spoil


def always_there(name: str) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        visible = trajectory.visible.copy()
        visible[:, trajectory.names[name]] = True
        return trajectory.changed(visible=visible)

    return spoil


def shown_from(name: str, start: int) -> Spoil:
    def spoil(trajectory: Trajectory) -> Trajectory:
        visible = trajectory.visible.copy()
        visible[start:, trajectory.names[name]] = True
        return trajectory.changed(visible=visible)

    return spoil


def stiff(name: str) -> Spoil:
    """The body moves without turning."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        orientation = trajectory.orientation.copy()
        orientation[:, trajectory.names[name]] = orientation[0, trajectory.names[name]]
        return trajectory.changed(orientation=orientation)

    return spoil


def held_up(name: str, *, share: float) -> Spoil:
    """The body keeps place and rotation after this share of its motion."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
        column = trajectory.names[name]
        moving = np.flatnonzero(np.abs(np.diff(position[:, column], axis=0)).max(axis=1) > 1e-5)
        frame = int(moving[0] + share * (moving[-1] - moving[0]))
        position[frame:, column], orientation[frame:, column] = position[frame, column], orientation[frame, column]
        return trajectory.changed(position=position, orientation=orientation)

    return spoil


def at_once(trajectory: Trajectory) -> Trajectory:
    """The first motion begins at once."""
    moving = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > 1e-5
    frames = np.minimum(np.arange(len(trajectory)) + int(np.argmax(moving)), len(trajectory) - 1)
    arrays = ("position", "orientation", "colour", "visible")
    return trajectory.changed(**{name: getattr(trajectory, name)[frames] for name in arrays})


def askew_way_back(name: str, *, by: float) -> Spoil:
    """On its way back the ball drifts aside, by so many metres at the end."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        turn = int(np.argmin(path[:, 0]))
        path[turn:, 1] += by * (path[turn:, 0] - path[turn, 0]) / (path[-1, 0] - path[turn, 0])
        return trajectory.changed(position=position)

    return spoil


MUTATIONS = (
    Mutation("a change labelled plausible", "IP_Unchangeableness", unspoilt, "plausible"),
    Mutation("nothing changes", "P_Unchangeableness", unspoilt, "implausible"),
    Mutation("recoloured in plain view", "P_Unchangeableness", recoloured("Object1", (1, 1, 1), start=495)),
    Mutation("one goes", "P_Unchangeableness", vanishing("Object1", start=HALF)),
    Mutation("another comes beside it", "P_Unchangeableness", shown_from("Substitute", HALF)),
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
    Mutation("the ball is there all the time", "IP_ObjectPermanence", always_there("Ball")),
    Mutation("goes in plain view", "P_ObjectPermanence", absent("Ball", 450, 470)),
    Mutation("never comes back", "P_ObjectPermanence", vanishing("Ball", start=HALF)),
    Mutation("a screen without a dip", "IP_ObjectPermanence", with_facts("Screen/Low", size=(1.5, 0.05, 1.0))),
    Mutation("the high parts are gone", "IP_ObjectPermanence", moved("Screen/Left", (0, 0, 1))),
    Mutation("waits behind the screen", "P_ObjectPermanence", paused("Ball", 30)),
    Mutation("stuck halfway", "P_ObjectPermanence", frozen("Ball", share=0.5)),
    Mutation("hops over the dip", "P_ObjectPermanence", moved("Ball", (0, 0, 0.1), start=200, end=260)),
    Mutation("through the box, labelled plausible", "IP_ObjectPermanence3", unspoilt, "plausible"),
    Mutation("the box stays where the plank is", "IP_ObjectPermanence3", always_there("Box")),
    Mutation("the box does not come back", "IP_ObjectPermanence3", vanishing("Box", start=HALF)),
    Mutation("the box goes for a while", "P_ObjectPermanence3", absent("Box", 200, 240)),
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
)
