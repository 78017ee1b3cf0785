"""Test 15: is the centre of the pushed block still over the beam, or else, does the block fall?"""

import numpy as np

from scenes.audit.geometry import first_true, is_steady, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

TOUCHING = 0.01  # metres
CLEAR = 0.05  # least distance of the block's centre from the beam's end, as a share of the block's edge
RETRACTED = 0.3  # metres between rod and block at the end
TIPPED = 0.001  # of a component of the orientation, from which on the block is falling
FASTER = 0.2  # metres a second: a block that tips begins to move more slowly
SPEEDS = (1.5, 2.0)  # metres a second


def read(trajectory: Trajectory) -> Verdict:
    (block,), (beam,) = trajectory.with_role("block"), trajectory.with_role("beam")
    path, bodies = trajectory.position[:, block].astype(float), trajectory.description.bodies
    edge = bodies[block].size[0]
    beyond = np.abs(path[:, 0] - float(trajectory.position[0, beam, 0])) - bodies[beam].size[0] / 2
    fall = first_true(np.abs(trajectory.orientation[:, block] - trajectory.orientation[0, block]).max(axis=1) > TIPPED)
    pushed = len(path) - 1 if fall is None else fall - 1  # the last state before a fall, if there is one
    findings = _push_findings(trajectory, block, fall) + _height_findings(trajectory, block, beam, pushed)
    if abs(beyond[pushed]) < CLEAR * edge:
        findings += (Finding("support", "the block's middle is just above the beam's end", pushed),)
    if beyond[0] > -CLEAR * edge:
        findings += (Finding("support", "the block is not on the beam at the start", 0),)
    if beyond[pushed] > edge / 2:
        findings += (Finding("overhang", "the block is wholly beyond the beam"),)
    if fall is not None:
        return Verdict("plausible", findings=findings + _fall_findings(trajectory, block, beyond[pushed], fall))
    if beyond[-1] <= 0:
        if beyond[-1] > -edge / 2:
            findings += (Finding("overhang", "the block hangs over the beam's end"),)
        return Verdict("plausible", findings=findings)
    return Verdict("implausible", first_true(beyond > 0), "the block rests with its middle over nothing", findings)


def _fall_findings(trajectory: Trajectory, block: int, beyond: float, fall: int) -> tuple[Finding, ...]:
    """A block must fall only with its middle beyond the beam, and come to lie on the shelf."""
    (shelf,) = trajectory.with_role("floor")
    path, height = trajectory.position[:, block].astype(float), trajectory.description.bodies[block].size[2]
    level = trajectory.position[0, shelf, 2] + (trajectory.description.bodies[shelf].size[2] + height) / 2
    findings = []
    if beyond <= 0:
        findings.append(Finding("support", "the block falls although its middle is over the beam", fall))
    if abs(path[-1, 2] - level) > TOUCHING or np.linalg.norm(path[-1] - path[-2]) > TOUCHING:
        findings.append(Finding("rest", "the block does not come to lie on the shelf", len(path) - 1))
    return tuple(findings)


def _push_findings(trajectory: Trajectory, block: int, fall: int | None) -> tuple[Finding, ...]:
    """The block must move at a constant speed exactly while the rod touches it, and the rod must come and go."""
    (rod,) = trajectory.with_role("rod")
    apart = surface_distances(trajectory, rod, block)
    moving = np.flatnonzero(speeds(trajectory, block)[:fall] > (0.01 if fall is None else FASTER))
    if not len(moving):
        return (Finding("motion", "the block is not pushed"),)
    findings = []
    within = speeds(trajectory, block)[moving[0] : moving[-1]]
    if not is_steady(within, SPEEDS):
        findings.append(Finding("motion", "the speed is not constant within 1.5 to 2 m/s", int(moving[0])))
    if np.abs(apart[moving[0] : moving[-1] + 1]).max() > TOUCHING:
        findings.append(Finding("motion", "the block moves and nothing pushes it", int(moving[0])))
    if apart[0] < RETRACTED / 2 or apart[-1] < RETRACTED:
        findings.append(Finding("motion", "the rod does not come and go"))
    return tuple(findings)


def _height_findings(trajectory: Trajectory, block: int, beam: int, pushed: int) -> tuple[Finding, ...]:
    """The block must start on the beam, centred across it, and move only along it until this state."""
    bodies, path = trajectory.description.bodies, trajectory.position[:, block].astype(float)
    findings = []
    on_top = path[0, 2] - float(trajectory.position[0, beam, 2]) - (bodies[block].size[2] + bodies[beam].size[2]) / 2
    if abs(on_top) > TOUCHING or np.abs(path[0, 1] - trajectory.position[0, beam, 1]) > TOUCHING:
        findings.append(Finding("support", "the block does not lie on the beam at the start", 0))
    if np.ptp(path[: pushed + 1, 2]) > TOUCHING or np.ptp(path[:, 1]) > TOUCHING:
        findings.append(Finding("motion", "the block moves other than along the beam"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"block": 1, "beam": 1, "rod": 1, "floor": 1},
    main=("block",),
    movers=("block", "rod"),
    turners=("block",),
    delay=(0.4, 2.0),
    # Published: a plausible block may overhang by half, an implausible one is wholly beyond its support.
    known_defects=frozenset({"overhang", "support"}),
)
