"""Test 13: does the ball fall into a gap wider than itself, or get beyond it?"""

import numpy as np

from scenes.audit.geometry import (
    first_true,
    first_unlike_free_fall,
    free_states,
    is_hidden,
    is_steady,
    jump_of,
    speeds,
    surface_distances,
)
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

TOUCHING = 0.012  # metres within which a body may still push
TOLERANCE = 3.0  # metres a second squared: allowed difference between the ball's motion in the air and free fall
ROOM = 1.5  # least width of the gap, in diameters of the ball
SPEEDS = (0.6, 1.2)  # metres a second


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    before, beyond = _shelves(trajectory, ball)
    findings = _stage_findings(trajectory, ball, before, beyond) + _rolling_findings(trajectory, ball, before)
    end = len(trajectory) - 1
    flight = first_unlike_free_fall(trajectory, ball, free_states(trajectory, ball, TOUCHING), TOLERANCE)
    offences = [frame for frame in (flight, jump_of(trajectory, ball)) if frame is not None]
    is_beyond = float(surface_distances(trajectory, ball, beyond)[-1]) <= TOUCHING
    is_beyond &= bool(trajectory.position[-1, ball, 2] > trajectory.position[-1, beyond, 2])
    (floor,) = trajectory.with_role("floor")
    if not is_beyond and float(surface_distances(trajectory, ball, floor)[-1]) > TOUCHING:
        findings += (Finding("rest", "the ball rests on no shelf", end),)
    if is_beyond != bool(offences):
        findings += (Finding("gravity", "the ball's end does not fit its way", min(offences, default=None)),)
    if not is_beyond:
        return Verdict("plausible", findings=findings)
    frame = min(offences, default=None)
    if frame is not None and not is_hidden(trajectory, ball, frame):
        findings += (Finding("hidden", "the ball gets over the gap in plain view", frame),)
    return Verdict("implausible", frame, "the ball gets over a gap into which it must fall", findings)


def _shelves(trajectory: Trajectory, ball: int) -> tuple[int, int]:
    """The upper shelf from which the ball comes, and the one beyond the gap."""
    first, second = trajectory.with_role("platform")
    start = trajectory.position[0, ball, 0]
    apart = [abs(float(trajectory.position[0, shelf, 0] - start)) for shelf in (first, second)]
    return (first, second) if apart[0] < apart[1] else (second, first)


def _stage_findings(trajectory: Trajectory, ball: int, before: int, beyond: int) -> tuple[Finding, ...]:
    """The shelves must be level and the gap wide enough; the occluder must be lowered only when the ball rests."""
    bodies, position = trajectory.description.bodies, trajectory.position[0].astype(float)
    between = abs(position[before, 0] - position[beyond, 0]) - (bodies[before].size[0] + bodies[beyond].size[0]) / 2
    (floor,), (occluder,) = trajectory.with_role("floor"), trajectory.with_role("occluder")
    findings = []
    if between < ROOM * bodies[ball].size[0]:
        findings.append(Finding("geometry", f"the gap is {between:.2f} m wide"))
    if abs(position[before, 2] - position[beyond, 2]) > 0.005:
        findings.append(Finding("geometry", "the upper shelves are not level"))
    if position[before, 2] - position[floor, 2] < 2 * bodies[ball].size[2]:
        findings.append(Finding("geometry", "the ball has no room between the shelves"))
    lowering = first_true(speeds(trajectory, occluder) > 0.01)
    if lowering is None or position[occluder, 2] - trajectory.position[-1, occluder, 2] < 0.7:
        findings.append(Finding("motion", "the occluder is not lowered"))
    elif (speeds(trajectory, ball)[lowering + 1 :] > 0.1).any():
        findings.append(Finding("motion", "the occluder is lowered before the ball lies", lowering))
    if is_hidden(trajectory, ball, len(trajectory) - 1):
        findings.append(Finding("sight", "the ball can't be seen at the end"))
    return tuple(findings)


def _rolling_findings(trajectory: Trajectory, ball: int, before: int) -> tuple[Finding, ...]:
    """The ball must roll along the first shelf at a constant speed."""
    path, bodies = trajectory.position[:, ball].astype(float), trajectory.description.bodies
    way = np.sign(trajectory.position[0, before, 0] - path[0, 0])
    edge = float(trajectory.position[0, before, 0]) + way * bodies[before].size[0] / 2
    speed = speeds(trajectory, ball)
    past = way * (path[:, 0] - edge)
    along = np.flatnonzero((past < -0.1) & (speed > 0.01))[1:]
    if len(along) < 10 or past.max() < 0:
        return (Finding("motion", "the ball does not run to the gap"),)
    if not is_steady(speed[along], SPEEDS):
        return (Finding("motion", "the speed is not constant within 0.6 to 1.2 m/s", int(along[0])),)
    if surface_distances(trajectory, ball, before)[along].max() > TOUCHING:
        return (Finding("motion", "the ball does not lie on the shelf", int(along[0])),)
    return ()


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "platform": 2, "floor": 1, "occluder": 1, "curtain": 1},
    main=("ball",),
    movers=("ball", "occluder"),
    exits=("ball",),  # it waits in its start box, which may reach beyond the picture
    jumpers=("ball",),
    delay=(1.0, 3.0),
)
