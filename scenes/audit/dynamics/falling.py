"""Requirements on the motion of a ball that falls behind an occluder."""

import numpy as np

from scenes.audit.geometry import first_true, is_hidden, speeds
from scenes.audit.verdict import Finding
from scenes.trajectory import Trajectory

AT_REST = 0.01  # metres a second
FALL = 1.0  # metres
TOLERANCE = 1.0  # metres a second squared: allowed difference from free fall


def fall_findings(trajectory: Trajectory, ball: int) -> tuple[Finding, ...]:
    """The ball must fall freely; the occluder must be lowered only when the ball lies still, so that it is seen."""
    height, speed = trajectory.position[:, ball, 2].astype(float), speeds(trajectory, ball)
    findings = []
    if height[0] - height[-1] < FALL:
        findings.append(Finding("motion", "the ball does not fall"))
    free = (speed[1:-1] > 1.0) & (speed[:-2] > 0.1) & (speed[2:] > speed[1:-1])
    pull = np.diff(speed)[:-1][free] / 0.02
    if len(pull) < 10 or (np.abs(pull + trajectory.description.gravity[2]) > TOLERANCE).any():
        findings.append(Finding("motion", "the ball does not fall freely", first_true(free)))
    if is_hidden(trajectory, ball, len(trajectory) - 1):
        findings.append(Finding("sight", "the ball can't be seen at the end"))
    (occluder,) = trajectory.with_role("occluder")
    lowering = speeds(trajectory, occluder) > AT_REST
    if not lowering.any() or (lowering & (speed > 0.2)).any():
        findings.append(Finding("motion", "the occluder is not lowered, or too early", first_true(lowering)))
    return tuple(findings)
