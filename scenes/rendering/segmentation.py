"""Trajectory -> visible share of each body, by rendering the bodies' numbers instead of their colours.

A share is the number of a body's pixels in the picture divided by their number when only that body is drawn; pixels
outside the picture count in neither.
"""

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.rendering.mujoco_renderer import SHAPES, aim
from scenes.rendering.studio import closed_at_exit
from scenes.trajectory import Trajectory

SMALL, LARGE = (160, 120), (640, 480)  # pixels: for shares over time; for exact shares of one state
NO_BODY = 0  # number of the background; body n has number n + 1

Shares = NDArray[np.float64]  # one for each body, from 0 to 1


class Canvas:
    """An OpenGL context without textures, lights and anti-aliasing, which would mix the bodies' numbers."""

    def __init__(self) -> None:
        spec = mujoco.MjSpec()
        spec.visual.quality.offsamples = 0
        spec.visual.quality.shadowsize = 0
        spec.visual.quality.numslices, spec.visual.quality.numstacks = 24, 16
        spec.visual.global_.offwidth, spec.visual.global_.offheight = LARGE
        self.model = spec.compile()
        self.gl = mujoco.GLContext(*LARGE)
        self.gl.make_current()
        self.context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_50)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self.context)

    def picture(self, scene: mujoco.MjvScene, size: tuple[int, int]) -> NDArray[np.int64]:
        """The number shown by each pixel, rows from the bottom up."""
        self.gl.make_current()
        pixels = np.empty((size[1], size[0], 3), dtype=np.uint8)
        area = mujoco.MjrRect(0, 0, *size)
        mujoco.mjr_render(area, scene, self.context)
        mujoco.mjr_readPixels(pixels, None, area, self.context)
        return pixels[..., 0].astype(np.int64) + 256 * pixels[..., 1].astype(np.int64)

    def numbers(self, scene: mujoco.MjvScene, size: tuple[int, int]) -> NDArray[np.int64]:
        """Pixel count of each number, from `NO_BODY` on."""
        return np.bincount(self.picture(scene, size).ravel())

    def close(self) -> None:
        self.gl.make_current()
        self.context.free()
        self.gl.free()


_open: dict[str, Canvas] = {}  # the process's only canvas
closed_at_exit(_open)


def canvas() -> Canvas:
    if not _open:
        _open["canvas"] = Canvas()
    return _open["canvas"]


class Segmenter:
    """Measures the visible shares of one trajectory's bodies."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.canvas = canvas()
        self.scene = mujoco.MjvScene(model=self.canvas.model, maxgeom=400)
        for eye in self.scene.camera:
            aim(eye, trajectory.description.camera)
        self.scene.flags[:] = 0
        self.scene.flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = 1
        self.scene.flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
        self.shapes = [(SHAPES[body.shape], _half(body.shape, body.size)) for body in trajectory.description.bodies]
        self.whole: dict[tuple[int, tuple[int, int], bytes], int] = {}
        self.drawn = 0  # pictures rendered so far

    def shares(self, state: int, size: tuple[int, int] = SMALL, *, also: tuple[int, ...] = ()) -> Shares:
        """The visible share of every body in this state; bodies in `also` are drawn even where they are absent."""
        present = self.trajectory.visible[state].copy()
        present[list(also)] = True
        columns = np.flatnonzero(present)
        pixels = self._draw(state, columns, size)
        shares = np.zeros(len(present))
        for column in columns.tolist():
            if pixels[column]:
                shares[column] = min(1.0, pixels[column] / max(1, self._alone(state, column, size)))
        return shares

    def _alone(self, state: int, column: int, size: tuple[int, int]) -> int:
        """Pixels of this body when only it is drawn; cached by its pose."""
        trajectory = self.trajectory
        place = trajectory.position[state, column].tobytes() + trajectory.orientation[state, column].tobytes()
        key = (column, size, place)
        if key not in self.whole:
            self.whole[key] = int(self._draw(state, np.array([column]), size)[column])
        return self.whole[key]

    def columns(self, state: int, size: tuple[int, int]) -> NDArray[np.int64]:
        """The body's column at each pixel (rows from the top, -1 where there is none) in this state."""
        self._set(state, np.flatnonzero(self.trajectory.visible[state]))
        return np.flipud(self.canvas.picture(self.scene, size)) - (NO_BODY + 1)

    def _draw(self, state: int, columns: NDArray[np.intp], size: tuple[int, int]) -> NDArray[np.int64]:
        self._set(state, columns)
        counts = np.zeros(len(self.shapes) + 1, dtype=np.int64)
        found = self.canvas.numbers(self.scene, size)
        counts[: len(found)] = found[: len(counts)]
        return counts[NO_BODY + 1 :]

    def _set(self, state: int, columns: NDArray[np.intp]) -> None:
        """Put these bodies of this state into the scene."""
        for number, column in enumerate(columns):
            self._place(self.scene.geoms[number], state, int(column))
        self.scene.ngeom = len(columns)
        self.drawn += 1

    def _place(self, geom: mujoco.MjvGeom, state: int, column: int) -> None:
        kind, half = self.shapes[column]
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, self.trajectory.orientation[state, column].astype(float))
        position = self.trajectory.position[state, column].astype(float)
        mujoco.mjv_initGeom(geom, kind, half, position, rotation, np.ones(4, dtype=np.float32))
        geom.segid = column


def _half(shape: str, size: tuple[float, float, float]) -> NDArray[np.float64]:
    half = np.array(size) / 2
    return half[[0, 0, 2]] if shape == "cylinder" else half
