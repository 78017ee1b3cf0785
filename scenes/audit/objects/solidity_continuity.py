"""Test 3: does the ball stop at the first barrier on its way, or does it pass through it?"""

import numpy as np

from scenes.audit.geometry import first_true, is_hidden, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

INSIDE = 0.01  # metres
TOUCHING = 0.01  # metres
APART = 0.6  # least distance between the barriers in metres


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    barriers = trajectory.with_role("barrier")
    way = np.sign(float(trajectory.position[-1, ball, 0] - trajectory.position[0, ball, 0]))
    first, second = sorted(barriers, key=lambda barrier: way * float(trajectory.position[0, barrier, 0]))
    findings = _stage_findings(trajectory, ball, first, second, way)
    passage = surface_distances(trajectory, ball, first) < -INSIDE
    ends_beyond = way * float(trajectory.position[-1, ball, 0] - trajectory.position[-1, first, 0]) > 0
    frame = first_true(passage)
    if ends_beyond != (frame is not None):
        findings += (Finding("solidity", "the ball is neither stopped by the first barrier nor through it", frame),)
    if surface_distances(trajectory, ball, second if ends_beyond else first)[-1] > TOUCHING:
        findings += (Finding("rest", "the ball does not end at a barrier", len(trajectory) - 1),)
    if (surface_distances(trajectory, ball, second) < -INSIDE).any():
        findings += (Finding("solidity", "the ball is inside the second barrier"),)
    if not ends_beyond:
        return Verdict("plausible", findings=findings)
    if frame is not None and not is_hidden(trajectory, ball, frame):
        findings += (Finding("hidden", "the ball passes through the barrier in plain view", frame),)
    return Verdict("implausible", frame, "the ball passes through a solid barrier", findings)


def _stage_findings(trajectory: Trajectory, ball: int, first: int, second: int, way: float) -> tuple[Finding, ...]:
    """Both barriers must stand in the ball's way, and the occluder must be lowered so that the ball is seen at the
    end."""
    position = trajectory.position[0].astype(float)
    findings = []
    for barrier in (first, second):
        size = trajectory.description.bodies[barrier].size
        is_across = np.abs(position[ball, 1:] - position[barrier, 1:]) < np.array(size[1:]) / 2
        if not is_across.all() or way * (position[barrier, 0] - position[ball, 0]) < 1:
            findings.append(Finding("geometry", "a barrier does not stand in the ball's way"))
    if abs(position[first, 0] - position[second, 0]) < APART:
        findings.append(Finding("geometry", "the barriers stand too close to each other"))
    if is_hidden(trajectory, ball, len(trajectory) - 1):
        findings.append(Finding("sight", "the ball can't be seen at the end"))
    (occluder,) = trajectory.with_role("occluder")
    if trajectory.position[0, occluder, 2] - trajectory.position[-1, occluder, 2] < 0.4:
        findings.append(Finding("motion", "the occluder is not lowered"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "barrier": 2, "occluder": 1},
    main=("ball",),
    movers=("ball", "occluder"),
    exits=("ball",),  # it may wait beyond the picture's edge
    excused=("ball", "barrier"),
    delay=(1.0, 3.0),
)
