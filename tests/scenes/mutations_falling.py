"""Mutations for the tests of falling, resting and rolling things: 11, 12, 13, 15 and 16 of Level 2."""

import numpy as np

from scenes.trajectory import Trajectory
from tests.scenes.mutations import (
    HALF,
    Mutation,
    Spoil,
    frozen,
    moved,
    paused,
    reversed_in_time,
    slowed,
    smoothed_jump,
    unspoilt,
    vanishing,
    with_facts,
    without,
)


def levelled(name: str) -> Spoil:
    """The body never falls below its first height."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        position[:, trajectory.names[name], 2] = position[0, trajectory.names[name], 2]
        return trajectory.changed(position=position)

    return spoil


def stretched_fall(name: str, share: float) -> Spoil:
    """The body falls only this share of the way."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        height = position[:, trajectory.names[name], 2]
        height[:] = height[0] + share * (height - height[0])
        return trajectory.changed(position=position)

    return spoil


def mirrored(name: str, *, start: int = 0) -> Spoil:
    """The body is on the other side of the tray from this state on."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position, orientation = trajectory.position.copy(), trajectory.orientation.copy()
        column, wall = trajectory.names[name], trajectory.names["Box/Wall4"]
        position[start:, column, 1] = 2 * position[0, wall, 1] - position[start:, column, 1]
        orientation[start:, column, 1:] *= -1
        return trajectory.changed(position=position, orientation=orientation)

    return spoil


def early(name: str) -> Spoil:
    """The motion begins at half a second."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        first = int(np.argmax(np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-5))
        path[:] = path[np.minimum(np.arange(len(path)) + max(first - 25, 0), len(path) - 1)]
        return trajectory.changed(position=position)

    return spoil


def speeding_up(name: str) -> Spoil:
    """The same way with the speeds in reverse order."""

    def spoil(trajectory: Trajectory) -> Trajectory:
        position = trajectory.position.copy()
        path = position[:, trajectory.names[name]]
        moving = np.flatnonzero(np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-5)
        way = slice(int(moving[0]), int(moving[-1]) + 2)
        path[way] = path[way][0] + path[way][-1] - path[way][::-1]
        return trajectory.changed(position=position)

    return spoil


STAYS = 1  # a clip of test 15 whose plausible block stays on the beam; in the usual one it falls
MUTATIONS = (
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
