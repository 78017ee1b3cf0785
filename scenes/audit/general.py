"""The checks that every clip must pass, whatever its test."""

from collections.abc import Iterator

import numpy as np

from scenes.audit.geometry import first_true, in_picture, speeds, surface_distances
from scenes.audit.verdict import Expectation, Finding
from scenes.scene import STEP
from scenes.trajectory import Trajectory

SHORTEST, STATES = 200, 500  # four and ten seconds
STILL = 1e-5  # metres, or shares of a colour: rounding error of the file
FASTEST = 7.0  # metres a second: faster than any fall in these rooms
OVERLAP = 0.015  # metres by which a hard landing or one step of a script may overlap two bodies
AT_REST = 0.01  # metres a second
LAST_STATES = 15
WIDEST = 4 / 3 + 0.25  # a little beyond the edge of a 4:3 picture, in half heights


def general_findings(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    """All findings of the general checks; only the shape findings if there are any, as the other checks need a whole
    trajectory."""
    shape = list(_shape_findings(trajectory, expected))
    yield from shape
    if shape:
        return
    if len(trajectory) < STATES:
        yield Finding("short", f"{len(trajectory)} states instead of {STATES}")
    for check in (_still_bodies, _moves, _colours, _sight, _overlaps, _beginning, _end):
        yield from check(trajectory, expected)


def _shape_findings(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    if not SHORTEST <= len(trajectory) <= STATES:
        yield Finding("length", f"{len(trajectory)} states instead of {STATES}")
    if not np.allclose(np.diff(trajectory.time), STEP) or trajectory.time[0] != 0:
        yield Finding("clock", f"the states are not {STEP} s apart from 0 on")
    for name in ("position", "orientation", "colour"):
        strange = ~np.isfinite(getattr(trajectory, name)).all(axis=(1, 2))
        if strange.any():
            yield Finding("finite", f"{name} is not a number", first_true(strange))
    if not np.allclose(np.linalg.norm(trajectory.orientation, axis=2), 1, atol=1e-3):
        yield Finding("finite", "an orientation is not a unit quaternion")
    for role, count in expected.roles.items():
        present = len(trajectory.with_role(role))
        if present != count:
            yield Finding("geometry", f"{present} bodies with the role {role} instead of {count}")


def _still_bodies(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    for column, body in enumerate(trajectory.description.bodies):
        moved = np.abs(trajectory.position[:, column] - trajectory.position[0, column]).max(axis=1) > STILL
        if moved.any() and body.role not in expected.movers:
            yield Finding("stillness", f"{body.name} moves", first_true(moved))
        turned = np.abs(trajectory.orientation[:, column] - trajectory.orientation[0, column]).max(axis=1) > STILL
        may_turn = body.role in expected.turners or (body.role in expected.movers and body.shape == "sphere")
        if turned.any() and not may_turn:
            yield Finding("stillness", f"{body.name} turns", first_true(turned))


def _moves(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    for role in expected.movers:
        for column in trajectory.with_role(role):
            too_fast = speeds(trajectory, column) > FASTEST
            if too_fast.any() and role not in expected.jumpers:
                name = trajectory.description.bodies[column].name
                yield Finding("continuity", f"{name} jumps", first_true(too_fast))


def _colours(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    colour = trajectory.colour
    if (colour < 0).any() or (colour > 1).any():
        yield Finding("colour", "a colour lies outside 0 to 1")
    for column, body in enumerate(trajectory.description.bodies):
        changed = np.abs(colour[:, column] - colour[0, column]).max(axis=1) > STILL
        if changed.any() and body.role not in expected.recoloured:
            yield Finding("colour", f"{body.name} changes its colour", first_true(changed))


def _sight(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    """Bodies must not vanish, and the main ones must be in the picture."""
    for column, body in enumerate(trajectory.description.bodies):
        seen = trajectory.visible[:, column]
        gone = seen[:-1] & ~seen[1:]
        is_judged = body.role in expected.vanishing
        if gone.any() and not is_judged:
            yield Finding("sight", f"{body.name} vanishes", first_true(gone))
        if not seen.all() and not is_judged and (body.role not in expected.appearing or not seen[-1]):
            yield Finding("sight", f"{body.name} is not there all the time", first_true(~seen))
        if body.role in expected.main:
            places = in_picture(trajectory.description.camera, trajectory.position[:, column])
            outside = (np.abs(places[:, 0]) > WIDEST) | (np.abs(places[:, 1]) > 1) | (places[:, 2] < 0)
            if (outside & seen).any() and body.role not in expected.exits:
                yield Finding("sight", f"{body.name} is outside the picture", first_true(outside & seen))


def _overlaps(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    bodies = trajectory.description.bodies
    for role in expected.movers + expected.main:
        for column in trajectory.with_role(role):
            for other, facts in enumerate(bodies):
                excused = {role, facts.role} == set(expected.excused)
                if other == column or facts.shape == "plane" or excused:
                    continue
                are_there = trajectory.visible[:, [column, other]].all(axis=1)
                deep = (surface_distances(trajectory, column, other) < -OVERLAP) & are_there
                if deep.any():
                    what = f"{bodies[column].name} is inside {facts.name}"
                    yield Finding("solidity", what, first_true(deep))


def _beginning(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    """The first motion must start within the delay that the test allows."""
    if expected.delay is None:
        return
    columns = [column for role in expected.movers for column in trajectory.with_role(role)]
    moving = np.any([speeds(trajectory, column) > AT_REST for column in columns], axis=0)
    start = first_true(moving)
    if start is None:
        if expected.must_move:
            yield Finding("motion", "nothing ever moves")
        return
    earliest, latest = expected.delay
    if not earliest - 2 * STEP <= trajectory.time[start] <= latest + 3 * STEP:
        yield Finding(
            "delay", f"motion starts at {trajectory.time[start]:.2f} s, not in {earliest} to {latest} s", start
        )


def _end(trajectory: Trajectory, expected: Expectation) -> Iterator[Finding]:
    for role in expected.movers:
        for column in trajectory.with_role(role):
            if (speeds(trajectory, column)[-LAST_STATES:] > AT_REST).any():
                name = trajectory.description.bodies[column].name
                yield Finding("rest", f"{name} still moves at the end", len(trajectory) - LAST_STATES)
