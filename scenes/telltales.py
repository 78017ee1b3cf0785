"""Finds the bodies that reveal a violation, from the trajectory alone."""

import numpy as np
from numpy.typing import NDArray

from scenes.audit.auditing import EXPECTATIONS
from scenes.trajectory import Trajectory

JUMP = 0.14  # metres between two states: faster than any body moves (7 m/s)


def telltales(trajectory: Trajectory, violation: int) -> tuple[int, ...]:
    """Columns of the bodies that change suddenly at the violation, else of those that move, else of all main bodies."""
    roles = EXPECTATIONS[trajectory.description.test].main
    main = [column for role in roles for column in trajectory.with_role(role)]
    broken = [column for column in main if breaks(trajectory, column)[violation]]
    moving = [column for column in main if (trajectory.position[:, column] != trajectory.position[0, column]).any()]
    return tuple(broken or moving or main)


def breaks(trajectory: Trajectory, column: int) -> NDArray[np.bool_]:
    """Mask of the states in which the body suddenly differs from the state before, in place, colour or visibility."""
    steps = np.linalg.norm(np.diff(trajectory.position[:, column].astype(float), axis=0), axis=1)
    colours = np.abs(np.diff(trajectory.colour[:, column], axis=0)).max(axis=1)
    changed = (steps > JUMP) | (colours > 1e-5) | np.diff(trajectory.visible[:, column])
    return np.concatenate([[False], changed])
