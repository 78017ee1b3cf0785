"""Which bodies give a violation away, read from the trajectory alone."""

import numpy as np
from numpy.typing import NDArray

from scenes.audit.auditing import EXPECTATIONS
from scenes.trajectory import Trajectory

JUMP = 0.14  # metres between two states: faster than anything moves (7 m/s)


def telltales(trajectory: Trajectory, violation: int) -> tuple[int, ...]:
    """Columns of the bodies that give the violation away: what changes at once in it, else what moves, else all asked
    about."""
    roles = EXPECTATIONS[trajectory.description.test].main
    main = [column for role in roles for column in trajectory.with_role(role)]
    broken = [column for column in main if breaks(trajectory, column)[violation]]
    moving = [column for column in main if (trajectory.position[:, column] != trajectory.position[0, column]).any()]
    return tuple(broken or moving or main)


def breaks(trajectory: Trajectory, column: int) -> NDArray[np.bool_]:
    """In which states the body is another than just before: elsewhere, in another colour, come or gone."""
    steps = np.linalg.norm(np.diff(trajectory.position[:, column].astype(float), axis=0), axis=1)
    colours = np.abs(np.diff(trajectory.colour[:, column], axis=0)).max(axis=1)
    changed = (steps > JUMP) | (colours > 1e-5) | np.diff(trajectory.visible[:, column])
    return np.concatenate([[False], changed])
