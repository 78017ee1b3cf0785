"""Rotation of a body about a fixed axis."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.scene import STEP, Swing


@dataclass
class SwingMotion:
    """A swing in progress; every pose is computed from the first one, so that errors don't add up."""

    swing: Swing
    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    turned: float = 0.0  # degrees so far, unsigned

    def advance(self) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        """Centre and orientation one step later, and whether the swing is over."""
        self.turned = min(self.turned + self.swing.speed * STEP, abs(self.swing.degrees))
        angle = math.radians(math.copysign(self.turned, self.swing.degrees))
        axis = np.array(self.swing.axis) / np.linalg.norm(self.swing.axis)
        arm = self.position - self.swing.hinge
        along = axis * (arm @ axis)
        turned = along + math.cos(angle) * (arm - along) + math.sin(angle) * np.cross(axis, arm)
        is_over = self.turned >= abs(self.swing.degrees)
        return self.swing.hinge + turned, _times(_about(axis, angle), self.orientation), is_over


def _about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def _times(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Product of two quaternions w, x, y, z, which applies the second rotation first."""
    scalar = first[0] * second[0] - first[1:] @ second[1:]
    vector = first[0] * second[1:] + second[0] * first[1:] + np.cross(first[1:], second[1:])
    return np.array([scalar, *vector])
