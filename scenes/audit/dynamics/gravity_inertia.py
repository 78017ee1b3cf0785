"""Test 10: does the fallen ball lie on something?"""

import numpy as np

from scenes.audit.geometry import first_true, is_hidden, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

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


AT_REST = 0.01  # metres a second
TOUCHING, HOVERING = 0.01, 0.1  # metres above the support: on it; clearly not on it


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    speed = speeds(trajectory, ball)
    findings = fall_findings(trajectory, ball)
    moving = np.flatnonzero(speed > AT_REST)
    landed = int(moving[-1]) + 1 if len(moving) else 0
    height = _height_above_support(trajectory, ball)
    if height <= TOUCHING:
        return Verdict("plausible", findings=findings)
    if height < HOVERING:
        findings += (
            Finding("support", f"the ball rests {height:.3f} m above its support: neither on it nor hovering"),
        )
    if not is_hidden(trajectory, ball, landed):
        findings += (Finding("hidden", "the ball stops in mid-air in plain view", landed),)
    return Verdict("implausible", landed, "the ball hovers with nothing under it", findings)


def _height_above_support(trajectory: Trajectory, ball: int) -> float:
    """Metres between the ball at the end and the nearest solid body below its centre."""
    place = trajectory.position[-1, ball].astype(float)
    below = [
        float(surface_distances(trajectory, ball, other)[-1])
        for other, facts in enumerate(trajectory.description.bodies)
        if other != ball
        and facts.is_solid
        and (np.abs(place[:2] - trajectory.position[-1, other, :2]) < np.array(facts.size[:2]) / 2).all()
        and trajectory.position[-1, other, 2] < place[2]
    ]
    return min(below, default=np.inf)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "occluder": 1, "floor": 1},
    main=("ball",),
    movers=("ball", "occluder"),
    exits=("ball",),  # it waits behind the upper curtain, which may reach beyond the picture
    delay=(1.0, 5.0),
)
