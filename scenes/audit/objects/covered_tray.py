"""Shared by tests 12 and 16: a ball runs to a corner under a cover that then slides away."""

import numpy as np

from scenes.audit.geometry import is_hidden, metres_beside, speeds, surface_distances
from scenes.audit.verdict import Finding
from scenes.trajectory import Trajectory

TOUCHING = 0.02  # metres
STRAIGHT = 0.005  # metres beside a straight path
SPEEDS = (1.0, 2.5)  # metres a second, including braking
OPENED = 0.9  # metres by which the cover must slide away


def rolling_findings(trajectory: Trajectory, ball: int, jump: int | None) -> tuple[Finding, ...]:
    """The ball must run straight and never speed up, from under the start cover until it rests; then the end cover
    opens."""
    path = trajectory.position[: jump or len(trajectory), ball].astype(float)
    speed = speeds(trajectory, ball)[: len(path) - 1]
    moving = np.flatnonzero(speed > 1e-3)
    if len(moving) < 10:
        return (Finding("motion", "the ball does not run"),)
    within = speed[moving[0] : moving[-1]]
    findings = []
    if within.min() < SPEEDS[0] or within.max() > SPEEDS[1] + 0.05 or (np.diff(within) > 0.01).any():
        findings.append(Finding("motion", "the ball does not roll on, at 2.5 m/s at most", int(moving[0])))
    if (metres_beside(path[moving[0] : moving[-1] + 2, :2]) > STRAIGHT).any() or np.ptp(path[:, 2]) > STRAIGHT:
        findings.append(Finding("motion", "the ball does not run straight", int(moving[0])))
    if path[0, 0] - path[-1, 0] < 3:
        findings.append(Finding("motion", "the ball does not come to the end of the tray"))
    if not is_hidden(trajectory, ball, 0):
        findings.append(Finding("sight", "the ball is not under its cover at the start", 0))
    return (*findings, *_cover_findings(trajectory, ball, int(moving[-1])))


def _cover_findings(trajectory: Trajectory, ball: int, arrival: int) -> tuple[Finding, ...]:
    (cover,) = trajectory.with_role("cover")
    opening = np.flatnonzero(speeds(trajectory, cover) > 0.01)
    way = float(trajectory.position[0, cover, 0] - trajectory.position[-1, cover, 0])
    if not len(opening) or way < OPENED:
        return (Finding("motion", "the cover does not slide away"),)
    findings = []
    if opening[0] < arrival - 1:
        findings.append(Finding("motion", "the cover slides away before the ball has come", int(opening[0])))
    if not is_hidden(trajectory, ball, arrival):
        findings.append(Finding("hidden", "the ball arrives in plain view", arrival))
    if is_hidden(trajectory, ball, len(trajectory) - 1):
        findings.append(Finding("sight", "the ball can't be seen at the end", len(trajectory) - 1))
    return tuple(findings)


def corner_findings(trajectory: Trajectory, ball: int) -> tuple[Finding, ...]:
    """At the end the ball must touch the end wall and a side wall."""
    (wall,) = trajectory.with_role("wall")
    sides = [float(surface_distances(trajectory, ball, side)[-1]) for side in trajectory.with_role("side")]
    if surface_distances(trajectory, ball, wall)[-1] > TOUCHING or min(sides) > TOUCHING:
        return (Finding("corner", "the ball does not rest in a corner", len(trajectory) - 1),)
    return ()


def side_of(trajectory: Trajectory, ball: int, state: int) -> int:
    """-1 or 1: on which side of the tray's middle the ball is in this state."""
    (wall,) = trajectory.with_role("wall")
    return 1 if trajectory.position[state, ball, 1] > trajectory.position[state, wall, 1] else -1


def aim_of(trajectory: Trajectory, ball: int) -> int:
    """-1 or 1: on which side the extended line of the ball's visible path meets the end wall."""
    path = trajectory.position[:, ball].astype(float)
    (wall,), (cover,) = trajectory.with_role("wall"), trajectory.with_role("cover")
    edge = float(trajectory.position[0, cover, 0]) + trajectory.description.bodies[cover].size[0] / 2
    in_view = path[(path[:, 0] > edge) & (path[:, 0] < path[0, 0] - 0.5)]
    if len(in_view) < 2:
        return 0
    first, last = in_view[0], in_view[-1]
    share = (trajectory.position[0, wall, 0] - first[0]) / (last[0] - first[0])
    return 1 if first[1] + share * (last[1] - first[1]) > trajectory.position[0, wall, 1] else -1
