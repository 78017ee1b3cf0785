"""Draws a trajectory in one of the looks; the twins of a test share equal pictures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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
    if look in ("cinema", "plain"):
        yield from pictures(trajectory, size, states, stage=stage_of(trajectory, size, look))
        return
    stage = SoftLight(trajectory, size)
    _shared.begin()
    last = b""
    pixels: Pixels | None = None
    for state in range(len(trajectory)) if states is None else states:
        seen = look_of(trajectory, state)
        if is_new := seen != last:
            key = stage.key(state) + seen
            pixels = _shared.get(key)
        if pixels is None:
            pixels = _shared.keep(key, stage.draw(state))
        last = seen
        yield RenderedFrame(pixels, is_new=is_new)


@dataclass
class _SharedPictures:
    """Pictures of the current clip and of the previous one, which may be its twin."""

    before: dict[bytes, Pixels] = field(default_factory=dict)
    now: dict[bytes, Pixels] = field(default_factory=dict)

    def begin(self) -> None:
        self.before, self.now = self.now, {}

    def get(self, key: bytes) -> Pixels | None:
        found = self.now.get(key)
        if found is None and (found := self.before.get(key)) is not None:
            self.now[key] = found
        return found

    def keep(self, key: bytes, pixels: Pixels) -> Pixels:
        self.now[key] = pixels
        return pixels


_shared = _SharedPictures()
