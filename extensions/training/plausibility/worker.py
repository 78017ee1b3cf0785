"""Code of the processes that make clips: plain Python, so that they start without Django and torch."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.generation.set_makers import wait_for_orders
from scenes.recording import draw_drafts, pictures_of

FOLDERS = ("P_{}", "IP_{}")  # plausible first


def start() -> None:
    """Set up a process that makes clips."""
    wait_for_orders()
    draw_drafts()


def pair_of(test: str, seed: int, index: int, frames: int) -> NDArray[np.uint8]:
    """Pictures of two clips that differ only in plausibility [2, frames, height, width, 3], the plausible one first."""
    return np.stack([pictures_of(folder.format(test), seed, index, frames) for folder in FOLDERS])
