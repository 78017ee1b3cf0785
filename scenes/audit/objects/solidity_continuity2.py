"""Test 4: does the fallen ball lie on the upper floor, or did it pass through it?"""

import numpy as np

from scenes.audit.dynamics.gravity_inertia import fall_findings
from scenes.audit.geometry import first_true, is_hidden, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

INSIDE, TOUCHING = 0.03, 0.01  # metres: a hard landing presses the ball in by less than INSIDE


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    platforms = trajectory.with_role("platform")
    findings = fall_findings(trajectory, ball) + _floor_findings(trajectory, ball, platforms)
    upper = np.min([surface_distances(trajectory, ball, half) for half in platforms], axis=0)
    frame = first_true(upper < -INSIDE)
    level = float(trajectory.position[-1, platforms[0], 2])
    is_below = float(trajectory.position[-1, ball, 2]) < level
    (floor,) = trajectory.with_role("floor")
    lower = float(surface_distances(trajectory, ball, floor)[-1])
    if is_below != (frame is not None):
        findings += (Finding("solidity", "the ball is neither stopped by the upper floor nor through it", frame),)
    if (lower if is_below else float(upper[-1])) > TOUCHING:
        findings += (Finding("rest", "the ball rests on neither floor", len(trajectory) - 1),)
    if not is_below:
        return Verdict("plausible", findings=findings)
    if frame is not None and not is_hidden(trajectory, ball, frame):
        findings += (Finding("hidden", "the ball passes through the floor in plain view", frame),)
    return Verdict("implausible", frame, "the ball passes through a solid floor", findings)


def _floor_findings(trajectory: Trajectory, ball: int, platforms: list[int]) -> tuple[Finding, ...]:
    """The upper floor must lie above the lower one, and any gap in it must be smaller than the ball."""
    bodies = trajectory.description.bodies
    position = trajectory.position[0].astype(float)
    first, second = sorted(platforms, key=lambda half: position[half, 0])
    between = position[second, 0] - position[first, 0] - (bodies[first].size[0] + bodies[second].size[0]) / 2
    findings = []
    if not -0.001 <= between < bodies[ball].size[0] - 0.04:
        findings.append(Finding("geometry", f"the gap in the upper floor is {between:.2f} m wide"))
    (floor,) = trajectory.with_role("floor")
    if min(position[half, 2] for half in platforms) - position[floor, 2] < bodies[ball].size[2]:
        findings.append(Finding("geometry", "the ball has no room between the floors"))
    ends = (position[first, 0] - bodies[first].size[0] / 2, position[second, 0] + bodies[second].size[0] / 2)
    if not ends[0] < position[ball, 0] < ends[1]:
        findings.append(Finding("geometry", "the ball does not fall onto the upper floor"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "platform": 2, "floor": 1, "occluder": 1, "curtain": 1},
    main=("ball",),
    movers=("ball", "occluder"),
    exits=("ball",),  # it waits behind the upper curtain, which may reach beyond the picture
    excused=("ball", "platform"),
    delay=(1.0, 5.0),
)
