"""Test 7: is the swinging plank stopped by the box, or does it swing through the place where the box stands?"""

import numpy as np

from scenes.audit.geometry import first_true, is_hidden, rotations, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

INSIDE, TOUCHING = 0.02, 0.02  # metres
FLAT = 1.0  # degrees
TURNED = 0.01  # degrees between two states from which on it counts as a motion
RIGID = 0.002  # metres


def read(trajectory: Trajectory) -> Verdict:
    (plank,), (box,) = trajectory.with_role("plank"), trajectory.with_role("box")
    angle = _angles(trajectory, plank)
    findings = _swing_findings(trajectory, plank, angle)
    apart = surface_distances(trajectory, plank, box)
    passage = first_true(apart < -INSIDE)
    gone = first_true(~trajectory.visible[:, box])
    inside = (apart < -INSIDE) & trajectory.visible[:, box]
    if inside.any():
        findings += (Finding("solidity", "the plank is inside the box while that is there", first_true(inside)),)
    if passage is None:
        if gone is not None:
            findings += (Finding("presence", "the box goes although the plank does not reach it", gone),)
        if apart.min() > TOUCHING:
            findings += (Finding("motion", f"the plank turns back {apart.min():.2f} m before the box"),)
        return Verdict("plausible", gone, "" if gone is None else "the box vanishes", findings)
    frame = passage if gone is None else min(gone, passage)
    if gone is not None and not is_hidden(trajectory, box, gone):
        findings += (Finding("hidden", "the box vanishes in plain view", gone),)
    if angle.max() < 180 - FLAT:
        findings += (Finding("motion", f"the plank turns {angle.max():.0f} degrees, not all the way over"),)
    if not trajectory.visible[-1, box] or is_hidden(trajectory, box, len(trajectory) - 1):
        findings += (Finding("return", "the box is not seen again at the end"),)
    return Verdict("implausible", frame, "the plank swings through the place where the box stands", findings)


def _angles(trajectory: Trajectory, plank: int) -> np.ndarray:
    """Degrees by which the plank has turned about its hinge since the start."""
    far = rotations(trajectory.orientation[:, plank])[:, :, 1]
    return np.degrees(np.unwrap(np.arctan2(far[:, 2], far[:, 1]))) * -1.0


def _swing_findings(trajectory: Trajectory, plank: int, angle: np.ndarray) -> tuple[Finding, ...]:
    """The plank must swing up about a fixed edge, strike at most twice in one place, and end flat."""
    turn = rotations(trajectory.orientation[:, plank])
    _, depth, height = trajectory.description.bodies[plank].size
    edge = trajectory.position[:, plank] + turn @ np.array([0.0, depth / 2, height / 2])
    findings = []
    loose = np.linalg.norm(edge - edge[0], axis=1) > RIGID
    if loose.any():
        findings.append(Finding("motion", "the plank leaves its hinge", first_true(loose)))
    steps = np.diff(angle)
    moving = np.flatnonzero(np.abs(steps) > TURNED)
    back = moving[1:][np.diff(np.sign(steps[moving])) != 0]  # the states at which it begins to turn the other way
    if abs(angle[0]) > FLAT or angle.max() < 90:
        findings.append(Finding("motion", "the plank does not swing up from where it lies flat"))
    if len(back) not in (1, 3) or np.ptp(angle[back[::2]]) > FLAT:
        findings.append(Finding("motion", "the plank turns back more than twice, or in two places"))
    if angle[-1] > FLAT:
        findings.append(Finding("return", f"the plank ends at {angle[-1]:.0f} degrees, not flat", len(trajectory) - 1))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"plank": 1, "box": 1, "floor": 1},
    main=("box", "plank"),
    movers=("plank",),
    turners=("plank",),
    vanishing=("box",),
    excused=("box", "plank"),
    delay=(0.6, 2.2),
    known_defects=frozenset({"return", "rest"}),  # published: many clips end before the plank lies flat again
)
