"""Test 11: does only gravity act on the ball once it has rolled over the edge?"""

import numpy as np
from numpy.typing import NDArray

from scenes.audit.geometry import first_unlike_free_fall, free_states, is_hidden, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.scene import STEP
from scenes.trajectory import Trajectory

TOUCHING = 0.012  # metres within which a body may still push
TOLERANCE = 2.0  # metres a second squared: allowed difference between the ball's motion in the air and free fall
SPEEDS = (0.7, 2.0)  # metres a second
LOST = 0.1  # share of its speed that the ball may lose or gain on the way


def read(trajectory: Trajectory) -> Verdict:
    (ball,), (block,) = trajectory.with_role("ball"), trajectory.with_role("block")
    way = _way(trajectory, ball, block)
    past = way * (trajectory.position[:, ball, 0].astype(float) - _edge(trajectory, block, way))
    findings = _rolling_findings(trajectory, ball, block, past)
    free = free_states(trajectory, ball, TOUCHING)
    in_air = free[past[free] > 0]
    if len(in_air) < 3:
        return Verdict("", findings=(*findings, Finding("motion", "the ball is never in the air")))
    frame = first_unlike_free_fall(trajectory, ball, in_air, TOLERANCE)
    if frame is None:
        return Verdict("plausible", findings=findings + _landing_findings(trajectory, ball, way))
    if is_hidden(trajectory, ball, frame):
        findings += (Finding("sight", "the ball leaves its course out of sight", frame),)
    what, more = _violation(trajectory, ball, frame)
    return Verdict("implausible", frame, what, findings + more)


def _way(trajectory: Trajectory, ball: int, block: int) -> int:
    """Direction of the motion along x: away from the wall at the block."""
    middle = np.mean([trajectory.position[0, wall, 0] for wall in trajectory.with_role("wall")])
    return 1 if trajectory.position[0, block, 0] < middle else -1


def _edge(trajectory: Trajectory, block: int, way: int) -> float:
    return float(trajectory.position[0, block, 0]) + way * trajectory.description.bodies[block].size[0] / 2


def _rolling_findings(trajectory: Trajectory, ball: int, block: int, past: NDArray) -> tuple[Finding, ...]:
    """The ball must roll from behind the curtain along the block to its edge, at a constant speed."""
    speed = speeds(trajectory, ball)
    findings = []
    before = np.flatnonzero((past[:-1] < -0.1) & (speed[:-1] > 0.01))[1:-1]
    if len(before) < 10 or past[0] > -1 or past.max() < 0.05:
        findings.append(Finding("motion", "the ball does not run to the edge"))
        return tuple(findings)
    inside = speed[before]
    if inside.min() < SPEEDS[0] * (1 - LOST) or inside.max() > SPEEDS[1] * (1 + LOST) or np.ptp(inside) > 0.1:
        findings.append(Finding("motion", "the speed is not constant within 0.7 to 2 m/s", int(before[0])))
    if surface_distances(trajectory, ball, block)[before].max() > TOUCHING:
        findings.append(Finding("motion", "the ball does not lie on the block", int(before[0])))
    if not is_hidden(trajectory, ball, 0):
        findings.append(Finding("sight", "the ball is not behind its curtain at the start", 0))
    return tuple(findings)


def _landing_findings(trajectory: Trajectory, ball: int, way: int) -> tuple[Finding, ...]:
    """The ball must roll on along the floor to the far wall without losing speed."""
    (floor,) = trajectory.with_role("floor")
    walls = [float(surface_distances(trajectory, ball, wall)[-1]) for wall in trajectory.with_role("wall")]
    path = trajectory.position[:, ball].astype(float)
    if (
        surface_distances(trajectory, ball, floor)[-1] > TOUCHING
        or min(walls) > 0.02
        or way * (path[-1, 0] - path[0, 0]) < 3
    ):
        return (Finding("rest", "the ball does not end on the floor at the far wall", len(path) - 1),)
    along = way * np.diff(path[:, 0]) / STEP
    moving = np.flatnonzero(along > 0.02)
    first = float(np.median(along[moving[: len(moving) // 4]]))
    if (along[moving[0] + 1 : moving[-2]] < (1 - 2 * LOST) * first).any():
        return (Finding("momentum", "the ball loses its speed sideways"),)
    return ()


def _violation(trajectory: Trajectory, ball: int, frame: int) -> tuple[str, tuple[Finding, ...]]:
    """Which of the two possible violations happened, with a finding if it is neither."""
    path = trajectory.position[:, ball].astype(float)
    (floor,) = trajectory.with_role("floor")
    aside = float(np.abs(path[frame:, 0] - path[-1, 0]).max())
    if surface_distances(trajectory, ball, floor)[-1] <= TOUCHING and aside < 0.2:
        return "the ball stops in mid-air and drops straight down", ()
    sideways = np.abs(np.diff(path[:, 0])) / STEP > 0.01
    if path[:-1, 2][sideways].min() > path[0, 2] - 0.02 and aside > 1:
        moving = np.flatnonzero(sideways)
        is_steady = len(moving) == moving[-1] - moving[0] + 1
        return "the ball runs on through the air", () if is_steady else (Finding("motion", "it stops on the way"),)
    return "the ball does not fall freely", (Finding("motion", "it neither drops straight down nor floats on", frame),)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "block": 1, "floor": 1, "wall": 2},
    main=("ball",),
    movers=("ball",),
    exits=("ball",),  # it waits and ends behind the curtains, which may reach beyond the picture
    delay=(0.0, 2.0),
)
