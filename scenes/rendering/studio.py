"""One MuJoCo model that holds every texture and no body, and the process's renderers, one for each picture size.

A renderer gets a texture when a body first needs it: painting all of them and handing them over takes half a second.
"""

import atexit
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.rendering.materials import MATERIALS
from scenes.rendering.textures import SIZE, TEXTURES, Picture

SAMPLES = 4  # anti-aliasing samples for each pixel
SHADOW_SIZE = 1024  # texels along each edge; a finer shadow map costs a third more and shows specks on balls
SHADOW_REACH = 7.0  # metres from the middle of the picture to the edge of the shadow map
MOST_RENDERERS = 3  # one for the clips, two for measuring visibility
PLANE_TEXTURES = frozenset({"Parquet", "Plaster"})  # tiled on planes; the others are stretched over a box's faces


@dataclass(frozen=True)
class DrawingQuality:
    """Anti-aliasing samples for each pixel, texels along each edge of the shadow map, and numbers of rectangles.

    A box has that many along each edge (0: MuJoCo's own number), a ball or a cylinder around and along its axis.
    `blends_sizes`: a texture's colour is blended from its two nearest sizes, which takes a quarter of the time of
    drawing a pixel, instead of read from the nearest.
    """

    samples: int = SAMPLES
    shadow_size: int = SHADOW_SIZE
    quads: int = 0
    round_quads: tuple[int, int] = (48, 32)  # enough for round balls at 640 pixels
    blends_sizes: bool = True


class AreaRenderer(mujoco.Renderer):
    """A renderer that can draw a single part of its picture, and whose textures are blank until they are needed."""

    def __init__(self, quality: DrawingQuality, size: tuple[int, int]) -> None:
        width, height = size
        self.textures: set[int] = set()
        self.blends_sizes = quality.blends_sizes
        super().__init__(_studio(quality, size), height=height, width=width, max_geom=400)

    def numbers_of(self, material: str) -> tuple[int, int]:
        """Numbers of the material and its texture, which is handed over if need be; -1 for none."""
        name = MATERIALS[material].texture
        if not name:
            return -1, -1
        texture = self.model.texture(name).id
        if texture not in self.textures:
            self._gl_context.make_current()
            mujoco.mjr_uploadTexture(_with_painted(name), self._mjr_context, texture)
            if not self.blends_sizes:
                self._read_nearest_size(texture)
            self.textures.add(texture)
        return self.model.material(material).id, texture

    def render_area(self, width: int, height: int) -> NDArray[np.uint8]:
        """Render the scene in a picture of this size."""
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        corner = mujoco.MjrRect(0, 0, width, height)
        self._gl_context.make_current()
        mujoco.mjr_render(corner, self._scene, self._mjr_context)
        mujoco.mjr_readPixels(pixels, None, corner, self._mjr_context)
        return pixels[::-1]

    def _read_nearest_size(self, texture: int) -> None:
        """Read this texture from the nearest of its sizes from now on; MuJoCo blends two."""
        from OpenGL import GL  # after `scenes.opengl` and MuJoCo have chosen its library

        context = self._mjr_context
        is_flat = context.textureType[texture] == mujoco.mjtTexture.mjTEXTURE_2D
        target = GL.GL_TEXTURE_2D if is_flat else GL.GL_TEXTURE_CUBE_MAP
        GL.glBindTexture(target, int(context.texture[texture]))
        GL.glTexParameteri(target, GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR_MIPMAP_NEAREST)
        GL.glBindTexture(target, 0)


def _studio(quality: DrawingQuality, size: tuple[int, int]) -> mujoco.MjModel:
    """A model whose textures are blank and of one pixel."""
    spec = mujoco.MjSpec()
    spec.visual.quality.offsamples = quality.samples
    spec.visual.quality.shadowsize = quality.shadow_size
    spec.visual.quality.numslices, spec.visual.quality.numstacks = quality.round_quads
    if quality.quads:
        spec.visual.quality.numquads = quality.quads
    spec.visual.map.shadowclip = 1.0
    spec.stat.extent = SHADOW_REACH
    spec.visual.global_.offwidth, spec.visual.global_.offheight = size
    _add_textures(spec, edge=1)
    for name, material in MATERIALS.items():
        if material.texture:
            _add_material(spec, name, material.texture)
    return spec.compile()


def _add_textures(spec: mujoco.MjSpec, edge: int) -> None:
    for name in TEXTURES:
        kind = mujoco.mjtTexture.mjTEXTURE_2D if name in PLANE_TEXTURES else mujoco.mjtTexture.mjTEXTURE_CUBE
        flat = mujoco.mjtBuiltin.mjBUILTIN_FLAT
        spec.add_texture(name=name, type=kind, width=edge, height=edge, builtin=flat)


def _add_material(spec: mujoco.MjSpec, name: str, texture: str) -> None:
    material = spec.add_material(name=name)
    textures = list(material.textures)
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
    material.textures = textures


@cache
def _with_painted(name: str) -> mujoco.MjModel:
    """The process's model of textures, of which this one is painted.

    Its pixels are written after compiling; in the spec they would pass through a list of millions of numbers.
    """
    model = _canvas()
    texture = model.texture(name).id
    faces = model.tex_height[texture] // SIZE
    start = model.tex_adr[texture]
    pixels = np.concatenate([painted(name)] * faces).ravel()
    model.tex_data[start : start + pixels.size] = pixels
    return model


@cache
def _canvas() -> mujoco.MjModel:
    """Every texture at its size, under the numbers that renderers know; unpainted."""
    spec = mujoco.MjSpec()
    _add_textures(spec, edge=SIZE)
    return spec.compile()


@cache
def painted(name: str) -> Picture:
    return TEXTURES[name]()


def closed_at_exit(contexts: dict[Any, Any]) -> Callable[[], None]:
    """Free these OpenGL contexts by the returned function, and at exit: the interpreter's own end would fail half-way.

    A forked process opens its own: sharing or freeing its parent's would break both.
    """
    inherited: list[Any] = []

    def close() -> None:
        while contexts:
            contexts.popitem()[1].close()

    def forget() -> None:
        inherited.extend(contexts.values())
        contexts.clear()

    atexit.register(close)
    os.register_at_fork(after_in_child=forget)
    return close


@dataclass
class _OpenRenderers:
    """Renderers by size and quality, for one thread at a time."""

    open: dict[tuple[tuple[int, int], DrawingQuality], AreaRenderer] = field(default_factory=dict)
    quality: DrawingQuality = field(default_factory=DrawingQuality)


_current = _OpenRenderers()
close_renderer = closed_at_exit(_current.open)


def renderer_for(size: tuple[int, int], quality: DrawingQuality | None = None) -> AreaRenderer:
    """The process's renderer for pictures of this size and quality; the least recently opened one makes room."""
    key = (size, quality or _current.quality)
    if key not in _current.open:
        if len(_current.open) >= MOST_RENDERERS:
            _current.open.pop(next(iter(_current.open))).close()
        _current.open[key] = AreaRenderer(key[1], size)
    return _current.open[key]


def use_quality(*, samples: int = SAMPLES, shadow_size: int = SHADOW_SIZE) -> None:
    """Draw with these anti-aliasing samples and this shadow map from now on; thumbnails need less."""
    if _current.quality != DrawingQuality(samples, shadow_size):
        close_renderer()
        _current.quality = DrawingQuality(samples, shadow_size)
