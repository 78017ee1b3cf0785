"""Reads the answers of the Level-1 tests from the visible scene."""

import numpy as np

from scenes.audit.geometry import first_true, in_picture, is_steady, speeds
from scenes.audit.verdict import Finding, Verdict
from scenes.trajectory import Trajectory

COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "black": (0, 0, 0), "white": (1, 1, 1)}
TABLE_TOP = 10.224
FULL_WAY = 4.0  # metres: in Direction and Movement the ball crosses the whole tray, 4.4 m
SPEEDS = (1.5, 2.5)  # metres a second


def read_shape(trajectory: Trajectory) -> Verdict:
    (column,) = trajectory.with_role("object")
    findings = _stands_on_table(trajectory, column) + _size_findings(trajectory, column, 0.8, 2.0)
    return Verdict(_shape(trajectory, column), findings=findings)


def read_color(trajectory: Trajectory) -> Verdict:
    (column,) = trajectory.with_role("object")
    findings = _stands_on_table(trajectory, column) + _size_findings(trajectory, column, 0.8, 2.0)
    if _shape(trajectory, column) != "ball":
        findings += (Finding("geometry", "the object is not a ball"),)
    return Verdict(_colour(trajectory, column), findings=findings)


def read_ordering(trajectory: Trajectory) -> Verdict:
    """The objects' names from left to right as the camera sees them."""
    columns = trajectory.with_role("object")
    places = in_picture(trajectory.description.camera, trajectory.position[0, columns])[:, 0]
    row = [columns[place] for place in np.argsort(places)]
    names = [f"{_colour(trajectory, column)} {_shape(trajectory, column)}" for column in row]
    findings = tuple(finding for column in row for finding in _stands_on_table(trajectory, column))
    if len(set(names)) < len(names):
        findings += (Finding("geometry", "two objects have the same name"),)
    return Verdict(",".join(names), findings=findings)


def read_relational_position(trajectory: Trajectory) -> Verdict:
    (thing,), (barrier,) = trajectory.with_role("object"), trajectory.with_role("barrier")
    camera = trajectory.description.camera
    ball, wall = in_picture(camera, trajectory.position[0, [thing, barrier]])[:, 0]
    findings = _stands_on_table(trajectory, thing)
    aside = abs(float(trajectory.position[0, thing, 0] - trajectory.position[0, barrier, 0]))
    if not 2.0 <= aside <= 3.5:
        findings += (Finding("geometry", f"the ball is {aside:.2f} m beside the barrier, not 2.7 m"),)
    return Verdict("left" if ball < wall else "right", findings=findings)


def read_direction(trajectory: Trajectory) -> Verdict:
    (column,) = trajectory.with_role("ball")
    places = in_picture(trajectory.description.camera, trajectory.position[[0, -1], column])
    right, up = places[1, :2] - places[0, :2]
    findings = _crosses(trajectory, column)
    if min(abs(right), abs(up)) > 0.02:
        findings += (Finding("direction", "the ball runs askew"),)
    if abs(up) > abs(right):
        return Verdict("forward" if up > 0 else "backward", findings=findings)
    return Verdict("right" if right > 0 else "left", findings=findings)


def read_movement(trajectory: Trajectory) -> Verdict:
    (column,) = trajectory.with_role("ball")
    if speeds(trajectory, column).max() == 0:
        return Verdict("false")
    return Verdict("true", findings=_crosses(trajectory, column))


def _crosses(trajectory: Trajectory, column: int) -> tuple[Finding, ...]:
    """The ball must cross the tray straight, at a constant speed and without a stop."""
    path = trajectory.position[:, column].astype(float)
    way = float(np.linalg.norm(path[-1] - path[0]))
    speed = speeds(trajectory, column)
    moving = np.flatnonzero(speed > 1e-3)
    findings = []
    if way < FULL_WAY:
        findings.append(Finding("motion", f"the ball covers {way:.2f} m, not the whole tray"))
    if len(moving) and len(moving) != moving[-1] - moving[0] + 1:
        findings.append(Finding("motion", "the ball stops on its way", first_true(np.diff(moving) > 1)))
    within = speed[moving[:-1]]  # the last step ends at the target and is shorter
    if len(within) and not is_steady(within, SPEEDS):
        findings.append(Finding("motion", "the speed is not constant within 1.5 to 2.5 m/s", int(moving[0])))
    return tuple(findings)


def _shape(trajectory: Trajectory, column: int) -> str:
    facts = trajectory.description.bodies[column]
    is_even = max(facts.size) - min(facts.size) < 1e-6
    return {"sphere": "ball", "box": "cube"}.get(facts.shape, facts.shape) if is_even else "neither ball nor cube"


def _colour(trajectory: Trajectory, column: int) -> str:
    colour = trajectory.colour[0, column]
    near = [name for name, value in COLOURS.items() if np.abs(np.subtract(colour, value)).max() < 0.05]
    return near[0] if near else "no named colour"


def _stands_on_table(trajectory: Trajectory, column: int) -> tuple[Finding, ...]:
    under = float(trajectory.position[0, column, 2]) - trajectory.description.bodies[column].size[2] / 2
    if abs(under - TABLE_TOP) > 0.01:
        return (Finding("geometry", f"an object's underside is {under - TABLE_TOP:+.2f} m from the table"),)
    return ()


def _size_findings(trajectory: Trajectory, column: int, least: float, most: float) -> tuple[Finding, ...]:
    size = trajectory.description.bodies[column].size[0]
    return () if least <= size <= most else (Finding("geometry", f"the object measures {size:.2f} m"),)
