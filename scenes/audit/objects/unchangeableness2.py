"""Test 2: does the ball come out from behind the pillar in the colour in which it went in?"""

import numpy as np

from scenes.audit.geometry import first_true, is_hidden
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

CLEARLY = 0.35  # distance of two colours in RGB space; the largest is 1.73
SHELF = 2.75  # metres, less the ball's diameter; the shelf leaves 2.8


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    findings = _passes_pillar(trajectory, ball)
    colour = trajectory.colour[:, ball].astype(float)
    changes = np.flatnonzero(np.abs(np.diff(colour, axis=0)).max(axis=1) > 1e-5) + 1
    if not len(changes):
        return Verdict("plausible", findings=findings)
    frame = int(changes[0])
    if len(changes) > 1:
        findings += (Finding("colour", "the ball's colour changes more than once", int(changes[1])),)
    if np.linalg.norm(colour[-1] - colour[0]) < CLEARLY:
        findings += (Finding("colour", "the two colours are too much alike", frame),)
    if not (is_hidden(trajectory, ball, frame - 1) and is_hidden(trajectory, ball, frame)):
        findings += (Finding("hidden", "the colour changes in plain view", frame),)
    return Verdict("implausible", frame, "the ball changes its colour behind the pillar", findings)


def _passes_pillar(trajectory: Trajectory, ball: int) -> tuple[Finding, ...]:
    """The ball must cross from wall to wall without turning back, and the pillar must hide it on the way."""
    (pillar,) = trajectory.with_role("occluder")
    path = trajectory.position[:, ball].astype(float)
    findings = []
    if abs(path[-1, 0] - path[0, 0]) < SHELF - trajectory.description.bodies[ball].size[0]:
        findings.append(Finding("motion", "the ball does not cross the shelf"))
    steps = np.diff(path[:, 0]) * np.sign(path[-1, 0] - path[0, 0])
    if (steps < -1e-5).any():
        findings.append(Finding("motion", "the ball turns back", first_true(steps < -1e-5)))
    middle = int(np.argmin(np.abs(path[:, 0] - trajectory.position[0, pillar, 0])))
    if not is_hidden(trajectory, ball, middle):
        findings.append(Finding("geometry", "the pillar does not hide the ball", middle))
    if is_hidden(trajectory, ball, len(trajectory) - 1):
        findings.append(Finding("sight", "the ball can't be seen at the end"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "occluder": 1, "curtain": 1},
    main=("ball",),
    movers=("ball",),
    recoloured=("ball",),
    delay=(1.0, 3.0),
    known_defects=frozenset(
        {"hidden"}
    ),  # published: within 0.1 m, while the outermost cameras still see the ball's edge
)
