"""Test 14: does the struck ball take over part of the other ball's motion, as a ball of equal mass must?"""

import numpy as np

from scenes.audit.geometry import first_true, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

TOUCHING = 0.01  # metres
AFTER = 6  # states after the first touch within which the push happens
SLOWEST_HIT = 0.5  # metres a second
PASSED_ON, RETAINED = 0.25, 0.05  # shares of the speed: without bounce, equal masses pass on a half


def read(trajectory: Trajectory) -> Verdict:
    first, second = trajectory.with_role("ball")
    moving, struck = (first, second) if _starts_earlier(trajectory, first, second) else (second, first)
    findings = _equality_findings(trajectory, moving, struck)
    touch = first_true(surface_distances(trajectory, moving, struck) < TOUCHING)
    if touch is None or touch < 3 or touch + AFTER >= len(trajectory):
        return Verdict("", findings=(*findings, Finding("motion", "the balls never meet", touch)))
    path = trajectory.position[:, [moving, struck], 0].astype(float)
    velocity = np.diff(path, axis=0) / 0.02
    before = velocity[touch - 3 : touch, 0]
    speed = before[np.argmax(np.abs(before))]
    share = float((velocity[touch : touch + AFTER, 1] / speed).max()) if speed else 0.0
    if abs(speed) < SLOWEST_HIT:
        findings += (Finding("motion", f"the ball hits at {abs(speed):.2f} m/s only", touch),)
    if share > PASSED_ON:
        return Verdict("plausible", findings=findings + _rolls_on(trajectory, struck, np.sign(speed)))
    if share > RETAINED:
        findings += (Finding("momentum", f"the struck ball takes over {share:.0%} of the speed", touch),)
    findings += _missed_hits(trajectory, moving, struck)
    return Verdict("implausible", touch, "the struck ball does not move although it is no heavier", findings)


def _starts_earlier(trajectory: Trajectory, first: int, second: int) -> bool:
    """Whether the first ball starts to move no later than the second."""
    starts = [first_true(speeds(trajectory, ball) > 0.1) for ball in (first, second)]
    return (starts[0] if starts[0] is not None else np.inf) <= (starts[1] if starts[1] is not None else np.inf)


def _equality_findings(trajectory: Trajectory, moving: int, struck: int) -> tuple[Finding, ...]:
    one, other = (trajectory.description.bodies[ball] for ball in (moving, struck))
    findings = []
    if one.size != other.size:
        findings.append(Finding("geometry", "the balls differ in size"))
    if one.mass != other.mass:
        findings.append(Finding("masses", f"the balls weigh {one.mass:g} and {other.mass:g} kg"))
    drop = float(trajectory.position[0, moving, 2] - trajectory.position[-1, moving, 2])
    if drop < 0.3:
        findings.append(Finding("motion", "the ball does not come down the plank"))
    return tuple(findings)


def _rolls_on(trajectory: Trajectory, struck: int, way: float) -> tuple[Finding, ...]:
    """A finding if the pushed ball does not roll on towards the wall."""
    travelled = way * float(trajectory.position[-1, struck, 0] - trajectory.position[0, struck, 0])
    return () if travelled > 0.5 else (Finding("motion", f"the struck ball rolls {travelled:.2f} m only"),)


def _missed_hits(trajectory: Trajectory, moving: int, struck: int) -> tuple[Finding, ...]:
    last = float(surface_distances(trajectory, moving, struck)[-1])
    stayed = float(np.abs(trajectory.position[-1, struck] - trajectory.position[0, struck]).max())
    findings = []
    if last > 0.1:
        findings.append(Finding("rest", f"the rolling ball ends {last:.2f} m away from the struck one"))
    if stayed > 0.05:
        findings.append(Finding("motion", f"the struck ball ends {stayed:.2f} m from its place"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 2, "plank": 1, "curtain": 1, "floor": 1},
    main=("ball",),
    movers=("ball",),
    exits=("ball",),  # the first ball waits behind the curtain, which may extend beyond the picture
    appearing=("ball",),
    delay=(1.0, 3.0),
    known_defects=frozenset({"masses"}),  # published: the struck ball weighs a thousand times as much
)
