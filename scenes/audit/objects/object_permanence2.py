"""Test 5: is the block pushed out from where it was covered?"""

import numpy as np

from scenes.audit.geometry import JUMP, first_true, is_hidden, speeds, step_lengths, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

TOUCHING = 0.01  # metres
NARROWEST = 1.0  # metres between the screens' centres


def read(trajectory: Trajectory) -> Verdict:
    (block,) = trajectory.with_role("block")
    findings = _stage_findings(trajectory, block)
    steps = step_lengths(trajectory, block)
    jumps = np.flatnonzero(steps > JUMP) + 1
    pushed = np.append(steps, 0.0)
    pushed[jumps - 1] = 0.0
    findings += _pushing_findings(trajectory, block, pushed)
    if not len(jumps):
        return Verdict("plausible", findings=findings)
    frame = int(jumps[0])
    if len(jumps) > 1:
        findings += (Finding("continuity", "the block jumps more than once", int(jumps[1])),)
    if not (is_hidden(trajectory, block, frame - 1) and is_hidden(trajectory, block, frame)):
        findings += (Finding("hidden", "the block jumps in plain view", frame),)
    return Verdict("implausible", frame, "the block jumps from behind one screen to behind the other", findings)


def _stage_findings(trajectory: Trajectory, block: int) -> tuple[Finding, ...]:
    """The block must be visible at first, then covered, and end between the two screens, which stay where they stop."""
    hidden = np.array([is_hidden(trajectory, block, frame) for frame in range(0, len(trajectory), 5)])
    left, right = sorted(float(trajectory.position[-1, screen, 0]) for screen in trajectory.with_role("screen"))
    findings = []
    if hidden[0] or hidden[-1]:
        findings.append(Finding("sight", "the block is not in view at the start and at the end"))
    if not hidden.any():
        findings.append(Finding("geometry", "no screen ever covers the block"))
    if abs(float(trajectory.position[-1, block, 0]) - (left + right) / 2) > 0.02:
        findings.append(Finding("rest", "the block does not end between the screens", len(trajectory) - 1))
    if right - left < NARROWEST:
        findings.append(Finding("geometry", "the screens are too close to each other"))
    for screen in trajectory.with_role("screen"):
        way = abs(float(trajectory.position[-1, screen, 0] - trajectory.position[0, screen, 0]))
        if abs(way - (right - left) / 2) > 0.02:
            findings.append(Finding("motion", f"a screen moves {way:.2f} m, not half of what is between them"))
    return tuple(findings)


def _pushing_findings(trajectory: Trajectory, block: int, steps: np.ndarray) -> tuple[Finding, ...]:
    """Apart from a jump, the block may move only while the rod touches it; the rod must go back to its start."""
    (rod,) = trajectory.with_role("rod")
    findings = []
    alone = (steps > 1e-5) & (surface_distances(trajectory, block, rod) > TOUCHING)
    if alone.any():
        findings.append(Finding("motion", "the block moves without being pushed", first_true(alone)))
    if float(np.abs(trajectory.position[-1, rod] - trajectory.position[0, rod]).max()) > 0.02:
        findings.append(Finding("motion", "the rod is not drawn back"))
    if speeds(trajectory, rod).max() < 0.5:
        findings.append(Finding("motion", "the rod never moves"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"block": 1, "screen": 2, "rod": 1},
    main=("block",),
    movers=("block", "screen", "rod"),
    jumpers=("block",),
    delay=(1.0, 3.0),
    known_defects=frozenset({"hidden"}),  # published: the screen does not quite cover the block
)
