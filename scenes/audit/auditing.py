"""Applies a test's expectation to a trajectory."""

import numpy as np
from numpy.typing import NDArray

from scenes.audit import level1
from scenes.audit.dynamics import (
    collision,
    gravity,
    gravity_continuity,
    gravity_inertia,
    gravity_inertia2,
    gravity_support,
    inertia,
    inertia2,
)
from scenes.audit.general import general_findings
from scenes.audit.geometry import JUMP, step_lengths
from scenes.audit.objects import (
    continuity,
    object_permanence,
    object_permanence2,
    object_permanence3,
    solidity_continuity,
    solidity_continuity2,
    unchangeableness,
    unchangeableness2,
)
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

TRAY_DELAY = (0.0, 3.0)  # seconds

EXPECTATIONS: dict[str, Expectation] = {
    "Shape": Expectation(read=level1.read_shape, roles={"object": 1}, main=("object",)),
    "Color": Expectation(read=level1.read_color, roles={"object": 1}, main=("object",)),
    "Direction": Expectation(
        read=level1.read_direction, roles={"ball": 1}, main=("ball",), movers=("ball",), delay=TRAY_DELAY
    ),
    "Movement": Expectation(
        read=level1.read_movement,
        roles={"ball": 1},
        main=("ball",),
        movers=("ball",),
        delay=TRAY_DELAY,
        must_move=False,
    ),
    "RelationalPosition": Expectation(
        read=level1.read_relational_position, roles={"object": 1, "barrier": 1}, main=("object",)
    ),
    "TwoObjectOrdering": Expectation(read=level1.read_ordering, roles={"object": 2}, main=("object",)),
    "ThreeObjectOrdering": Expectation(
        read=level1.read_ordering,
        roles={"object": 3},
        main=("object",),
        known_defects=frozenset({"label"}),  # published: the middle object is named first
    ),
    "FourObjectOrdering": Expectation(read=level1.read_ordering, roles={"object": 4}, main=("object",)),
    "Unchangeableness2": unchangeableness2.EXPECTATION,
    "SolidityContinuity": solidity_continuity.EXPECTATION,
    "ObjectPermanence2": object_permanence2.EXPECTATION,
    "Gravity": gravity.EXPECTATION,
    "GravityInertia": gravity_inertia.EXPECTATION,
    "GravityInertia2": gravity_inertia2.EXPECTATION,
    "Continuity": continuity.EXPECTATION,
    "Inertia2": inertia2.EXPECTATION,
    "GravityContinuity": gravity_continuity.EXPECTATION,
    "GravitySupport": gravity_support.EXPECTATION,
    "Collision": collision.EXPECTATION,
    "SolidityContinuity2": solidity_continuity2.EXPECTATION,
    "Inertia": inertia.EXPECTATION,
    "Unchangeableness": unchangeableness.EXPECTATION,
    "ObjectPermanence": object_permanence.EXPECTATION,
    "ObjectPermanence3": object_permanence3.EXPECTATION,
}


def audit_trajectory(trajectory: Trajectory) -> Verdict:
    """Read the answer from the motion alone, without any label, name or parameter of the generator."""
    expected = EXPECTATIONS.get(trajectory.description.test)
    if expected is None:
        return Verdict("", findings=(Finding("test", f"no test is called {trajectory.description.test!r}"),))
    findings = tuple(general_findings(trajectory, expected))
    if any(finding.check in ("finite", "geometry", "length", "clock") for finding in findings):
        return Verdict("", findings=findings)  # the test's own reading needs the missing bodies
    verdict = expected.read(trajectory)
    return Verdict(verdict.label, verdict.violation_frame, verdict.what, (*findings, *verdict.findings))


def problems(verdict: Verdict, label: str, *, test: str, profile: str) -> list[str]:
    """All faults of a clip with this label, except known ones of the faithful profile."""
    findings = list(verdict.findings)
    if verdict.label != label:
        findings.append(Finding("label", f"labelled {label!r}, but shows {verdict.label!r}"))
    excused = EXPECTATIONS[test].known_defects if profile == "faithful" else frozenset()
    excused = frozenset({"short"}) if profile == "corrected" else excused  # ends soon after the last event
    return [str(finding) for finding in findings if finding.check not in excused]


def main_columns(trajectory: Trajectory) -> list[int]:
    """Columns of the bodies that the test asks about."""
    roles = EXPECTATIONS[trajectory.description.test].main
    return [column for role in roles for column in trajectory.with_role(role)]


def telltales(trajectory: Trajectory, violation: int) -> tuple[int, ...]:
    """Columns of the bodies that change suddenly at the violation, else of those that move, else of all main bodies."""
    main = main_columns(trajectory)
    broken = [column for column in main if breaks(trajectory, column)[violation]]
    moving = [column for column in main if (trajectory.position[:, column] != trajectory.position[0, column]).any()]
    return tuple(broken or moving or main)


def breaks(trajectory: Trajectory, column: int) -> NDArray[np.bool_]:
    """Mask of the states in which the body suddenly differs from the state before, in place, colour or visibility."""
    colours = np.abs(np.diff(trajectory.colour[:, column], axis=0)).max(axis=1)
    changed = (step_lengths(trajectory, column) > JUMP) | (colours > 1e-5) | np.diff(trajectory.visible[:, column])
    return np.concatenate([[False], changed])
