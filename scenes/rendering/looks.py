"""Draws a trajectory in one of the looks; the twins of a test share equal pictures."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from scenes.rendering.mujoco_renderer import RenderedFrame, RenderScene, StateDrawing, look_of, pictures
from scenes.rendering.soft_light import SoftLight
from scenes.scene import Look
from scenes.trajectory import Trajectory

Pixels = NDArray[np.uint8]  # height, width, 3


def stage_of(trajectory: Trajectory, size: tuple[int, int], look: Look) -> StateDrawing:
    """The object that draws the states of this trajectory."""
    if look == "cinema":
        from scenes.rendering.cinema import Cinema  # needs Vulkan

        return Cinema(trajectory, size)
    return RenderScene(trajectory, size) if look == "plain" else SoftLight(trajectory, size)


def pictures_in(
    look: Look, trajectory: Trajectory, size: tuple[int, int], states: Iterable[int] | None = None
) -> Iterator[RenderedFrame]:
    """Yield pictures of these states, or of all, in a look; an unchanged picture is the same array again."""
    stage = stage_of(trajectory, size, look)
    if isinstance(stage, SoftLight):
        stage = _SharedPictures(stage)
    yield from pictures(trajectory, size, states, stage=stage)


class _SharedPictures:
    """Draws what neither the clip nor the one before it, which may be its twin, has shown."""

    latest: ClassVar[dict[bytes, Pixels]] = {}

    def __init__(self, stage: SoftLight) -> None:
        self.stage, self.before = stage, _SharedPictures.latest
        self.now: dict[bytes, Pixels] = {}
        _SharedPictures.latest = self.now

    def draw(self, frame: int) -> Pixels:
        key = self.stage.key(frame) + look_of(self.stage.trajectory, frame)
        if key not in self.now:
            self.now[key] = self.before[key] if key in self.before else self.stage.draw(frame)
        return self.now[key]
