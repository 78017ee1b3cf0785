"""Test 9: does the ball roll down the plank, or up it without being driven?"""

import numpy as np

from scenes.audit.geometry import first_true, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

GAINED = 0.2  # joules a kilogram: more than the error of finite differences
RISE = 0.4  # metres: the gentlest plank rises 0.6 m between the curtains
LOOSE = 0.03  # metres above the plank
VISIBLE_PART = slice(0.25, 0.75)


def read(trajectory: Trajectory) -> Verdict:
    (ball,), (plank,) = trajectory.with_role("ball"), trajectory.with_role("plank")
    findings = _rolling_findings(trajectory, ball, plank)
    height = trajectory.position[:, ball, 2].astype(float)
    climb = height[-1] - height[0]
    if abs(climb) < RISE:
        findings += (Finding("motion", f"the ball's height changes by {climb:.2f} m only"),)
    frame = first_true(_energy(trajectory, ball) > GAINED)
    if (frame is not None) != (climb > 0):
        findings += (Finding("energy", "the ball's energy does not fit where it goes", frame),)
    if climb <= 0:
        return Verdict("plausible", findings=findings)
    return Verdict("implausible", frame, "the ball runs uphill and nothing drives it", findings)


def _energy(trajectory: Trajectory, ball: int) -> np.ndarray:
    """Energy gained since the start, in joules a kilogram; gravity alone never adds any."""
    strength = -trajectory.description.gravity[2]
    height = trajectory.position[:, ball, 2].astype(float)
    speed = speeds(trajectory, ball)
    middle = np.append((height[1:] + height[:-1]) / 2, height[-1])  # the height at the mean speed of a step
    return strength * (middle - height[0]) + speed**2 / 2


def _rolling_findings(trajectory: Trajectory, ball: int, plank: int) -> tuple[Finding, ...]:
    """The ball must go from end to end, stay on the plank in its middle half and not slow down there."""
    x = trajectory.position[:, ball, 0].astype(float)
    share = np.abs(x - x[0]) / max(abs(x[-1] - x[0]), 1e-9)
    middle = (share > VISIBLE_PART.start) & (share < VISIBLE_PART.stop)
    findings = []
    if abs(x[-1] - x[0]) < 3.0:
        findings.append(Finding("motion", "the ball does not go from end to end"))
    loose = middle & (surface_distances(trajectory, ball, plank) > LOOSE)
    if loose.any():
        findings.append(Finding("motion", "the ball leaves the plank", first_true(loose)))
    inside = speeds(trajectory, ball)[middle]
    if len(inside) < 5 or (np.diff(inside) < -0.1).any():
        findings.append(Finding("motion", "the ball slows down on the plank", first_true(middle)))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "plank": 1, "curtain": 2, "floor": 1},
    main=("ball",),
    movers=("ball",),
    exits=("ball",),  # it waits and ends behind the curtains, which may reach beyond the picture
    appearing=("ball",),
    delay=(1.0, 3.0),
)
