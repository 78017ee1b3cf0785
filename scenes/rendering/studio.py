"""One MuJoCo model that holds every texture and no body, and the process's renderers, one for each picture size."""

import atexit
import os
from dataclasses import dataclass, field

import mujoco
import numpy as np

from scenes.rendering.materials import MATERIALS
from scenes.rendering.textures import SIZE, TEXTURES

SAMPLES = 4  # anti-aliasing samples for each pixel
SHADOW_SIZE = 1024  # texels along each edge; a finer shadow map costs a third more and shows specks on balls
SHADOW_REACH = 7.0  # metres from the middle of the picture to the edge of the shadow map
MOST_RENDERERS = 2  # one for the clips, one for measuring what can be seen in them
PLANE_TEXTURES = frozenset({"Parquet", "Plaster"})  # tiled on planes; the others are stretched over a box's faces


def _studio() -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.visual.quality.offsamples = _current.samples
    spec.visual.quality.shadowsize = _current.shadow_size
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 48, 32  # enough for round balls at 640 pixels
    spec.visual.map.shadowclip = 1.0
    spec.stat.extent = SHADOW_REACH
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1920, 1080
    for name in TEXTURES:
        kind = mujoco.mjtTexture.mjTEXTURE_2D if name in PLANE_TEXTURES else mujoco.mjtTexture.mjTEXTURE_CUBE
        flat = mujoco.mjtBuiltin.mjBUILTIN_FLAT
        spec.add_texture(name=name, type=kind, width=SIZE, height=SIZE, builtin=flat)
    for name, material in MATERIALS.items():
        if material.texture:
            _add_material(spec, name, material.texture)
    model = spec.compile()
    _paint(model)
    return model


def _add_material(spec: mujoco.MjSpec, name: str, texture: str) -> None:
    material = spec.add_material(name=name)
    textures = list(material.textures)
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture
    material.textures = textures


def _paint(model: mujoco.MjModel) -> None:
    """Write the textures' pixels after compiling; in the spec they would pass through a list of millions of numbers."""
    for name, paint in TEXTURES.items():
        texture = model.texture(name).id
        faces = model.tex_height[texture] // SIZE
        start = model.tex_adr[texture]
        pixels = np.concatenate([paint()] * faces).ravel()
        model.tex_data[start : start + pixels.size] = pixels


@dataclass
class _OpenRenderers:
    """Renderers by picture size, for one thread at a time; `inherited` keeps a parent process's from being freed."""

    by_size: dict[tuple[int, int], mujoco.Renderer] = field(default_factory=dict)
    samples: int = SAMPLES
    shadow_size: int = SHADOW_SIZE
    inherited: list[mujoco.Renderer] = field(default_factory=list)


_current = _OpenRenderers()


def renderer_for(size: tuple[int, int]) -> mujoco.Renderer:
    """The process's renderer for pictures of this width and height; the least recently opened one makes room."""
    if size not in _current.by_size:
        if len(_current.by_size) >= MOST_RENDERERS:
            _current.by_size.pop(next(iter(_current.by_size))).close()
        width, height = size
        _current.by_size[size] = mujoco.Renderer(_studio(), height=height, width=width, max_geom=400)
    return _current.by_size[size]


def use_quality(*, samples: int = SAMPLES, shadow_size: int = SHADOW_SIZE) -> None:
    """Draw with these anti-aliasing samples and this shadow map from now on; thumbnails need less."""
    if (samples, shadow_size) != (_current.samples, _current.shadow_size):
        close_renderer()
        _current.samples, _current.shadow_size = samples, shadow_size


def close_renderer() -> None:
    """Free the OpenGL contexts, which would fail half-way if left to the interpreter's exit."""
    while _current.by_size:
        _current.by_size.popitem()[1].close()


def _forget_renderer() -> None:
    """Make a forked process open its own OpenGL context: sharing or freeing its parent's would break both."""
    _current.inherited.extend(_current.by_size.values())
    _current.by_size.clear()


atexit.register(close_renderer)
os.register_at_fork(after_in_child=_forget_renderer)


def studio_numbers(model: mujoco.MjModel, material: str) -> tuple[int, int]:
    """Numbers of the material and its texture in the model, -1 for none."""
    texture = MATERIALS[material].texture
    return (model.material(material).id, model.texture(texture).id) if texture else (-1, -1)
