"""Test 10: does the fallen ball lie on something?"""

import numpy as np

from scenes.audit.dynamics.falling import fall_findings
from scenes.audit.expectation import Expectation
from scenes.audit.geometry import is_hidden, speeds, surface_distances
from scenes.audit.verdict import Finding, Verdict
from scenes.trajectory import Trajectory

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
