"""A few small pictures of a clip for a small learner, drawn directly from its motion, without files or an audit."""

import numpy as np
from numpy.typing import NDArray

from scenes.drawing import draw_motion
from scenes.registry import SCENES

SIZE = (96, 72)  # width and height in pixels
DRAFT = {"samples": 0, "shadow_size": 256}  # enough quality at this size


def draw_drafts() -> None:
    """Draw in this process at the lowest quality from now on."""
    from scenes.rendering.studio import use_quality

    use_quality(**DRAFT)


def pictures_of(folder: str, seed: int, index: int, frames: int) -> NDArray[np.uint8]:
    """Evenly spaced RGB pictures [frames, height, width, 3] of the clip's first draw, with its first and last state."""
    from scenes.rendering.mujoco_renderer import pictures

    trajectory = draw_motion(SCENES[folder], seed, index, profile="corrected")
    states = np.linspace(0, len(trajectory) - 1, frames).round().astype(int).tolist()
    return np.stack([picture.pixels for picture in pictures(trajectory, SIZE, states)])
