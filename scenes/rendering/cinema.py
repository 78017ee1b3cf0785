"""Look `cinema`: MuJoCo's Filament renderer, with soft shadows, ambient occlusion, real materials and tone mapping.

It draws with Vulkan: on a GPU through its driver, else in software (`make cinema` installs Debian's). The renderer's
dithering continues from picture to picture. Therefore each clip has its own context, and its bytes do not depend on
earlier clips.
"""

import ctypes.util
import os
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.rendering.materials import FINER, MATERIALS
from scenes.rendering.mujoco_renderer import GRAIN_TURNS, SHAPES, SUN_DISTANCE, aim
from scenes.rendering.studio import painted
from scenes.rendering.textures import SIZE
from scenes.scene import Light
from scenes.trajectory import BodyFacts, Trajectory

DRIVERS = (Path("/usr/share/vulkan/icd.d"), Path("/etc/vulkan/icd.d"))
NAMED_DRIVERS = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
OPTIONS: dict[str, Any] = {
    "shadows.type": "pcss",
    "shadows.map_size": 2048,
    "ao.quality": "high",
    "ao.low_pass_filter": "high",  # no password # nosec B105
    "ao.upsampling": "high",
    "cg.tone_mapping": "pbr_neutral",
    "cg.saturation": 0.88,
}
SAMPLES = 4  # anti-aliasing samples for each pixel
SHADOW_SIZE = 2048  # texels along each edge of the sun's shadow map
SURROUNDINGS, SUN, FILL = 7_500, 42_000, 4_500  # lux
SUN_RADIUS = 0.25  # metres of a lamp: the softness of its shadows
ROUNDNESS = (32, 48, 1)  # stacks and slices of a ball, quads of a box's edge
ROUGHNESS = {"Shiny": 0.25, "Panel": 0.45, "GreenMetalRust": 0.55, "Parquet": 0.5, "Plaster": 0.95}
ROUGH = 0.7
METALLIC = {"Panel": 0.35}


class CinemaUnavailable(ValueError):
    """This machine has no Vulkan to draw with."""


def check_cinema() -> None:
    """Raise CinemaUnavailable, with a remedy, if the look can't be drawn here: the renderer would end the process."""
    if not ctypes.util.find_library("vulkan") and not _is_loadable("libvulkan.so.1"):
        raise CinemaUnavailable("look cinema: there is no Vulkan here; `make cinema` installs Debian's")
    named = [os.environ[name] for name in NAMED_DRIVERS if os.environ.get(name)]
    if not named and not any(list(folder.glob("*.json")) for folder in DRIVERS):
        raise CinemaUnavailable("look cinema: Vulkan has no driver here; `make cinema` installs Debian's")


def _is_loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


class Cinema:
    """Draws the states of one trajectory; its renderer is freed with it."""

    def __init__(self, trajectory: Trajectory, size: tuple[int, int]) -> None:
        check_cinema()
        self.trajectory = trajectory
        self.filament = _Filament(size)
        description = trajectory.description
        for light in description.lights:
            self.filament.shine(light, np.array(description.camera.focus))
        materials = [FINER.get(body.material, body.material) for body in description.bodies]
        self.props = [
            _Prop(self.filament, body, material) for body, material in zip(description.bodies, materials, strict=True)
        ]
        self.filament.look_through(description.camera)

    def draw(self, frame: int) -> NDArray[np.uint8]:
        """The picture of one state: rows from the top, columns, colours."""
        trajectory = self.trajectory
        for column, prop in enumerate(self.props):
            prop.show(bool(trajectory.visible[frame, column]))
            prop.place(
                trajectory.position[frame, column],
                trajectory.orientation[frame, column],
                trajectory.colour[frame, column],
            )
        return self.filament.picture()


class _Filament:
    """The renderer's context with a scene, its lights and the target of its pictures."""

    def __init__(self, size: tuple[int, int]) -> None:
        import mujoco.studio  # noqa: F401  finds the renderer's shaders
        from mujoco import mjrf

        self.mjrf, self.size = mjrf, size
        self.context = mjrf.Context(mjrf.ContextConfig(graphics_api=mjrf.GraphicsApi.GRAPHICS_API_VULKAN))
        self.scene = self.context.create_scene(mjrf.SceneParams())
        self.scene.configure_from_model(_options())
        self.scene.set_msaa(SAMPLES)
        self.textures: dict[str, Any] = {}
        self.lights: list[Any] = []
        self.pixels = np.zeros((size[1], size[0], 3), dtype=np.uint8)
        self.target = self.context.create_render_target(
            mjrf.RenderTargetConfig(color_format=mjrf.PixelFormat.PIXEL_FORMAT_RGB8)
        )
        self.target.resize(*size)
        self.read = mjrf.ReadRequest(target=self.target)
        self.read.set_buffer(self.pixels)
        self._surround()

    def _surround(self) -> None:
        """Light from all sides, from the renderer's own surroundings."""
        mjrf = self.mjrf
        content = (Path(mujoco.studio.__file__).parent / "assets" / "ibl.ktx").read_bytes()
        self.textures[""] = self.context.create_texture(
            mjrf.TextureConfig(
                width=len(content),
                height=0,
                format=mjrf.PixelFormat.PIXEL_FORMAT_KTX,
                sampler_type=mjrf.SamplerType.TEXTURE_CUBE,
            )
        )
        self._upload(self.textures[""], content)
        image = mjrf.LightType.LIGHT_IMAGE
        self._add(mjrf.LightParams(type=image, texture=self.textures[""], intensity=SURROUNDINGS))

    def texture(self, name: str) -> Any:
        if name not in self.textures:
            mjrf = self.mjrf
            self.textures[name] = self.context.create_texture(
                mjrf.TextureConfig(
                    width=SIZE,
                    height=SIZE,
                    format=mjrf.PixelFormat.PIXEL_FORMAT_RGB8,
                    color_space=mjrf.ColorSpace.COLORSPACE_SRGB,
                    sampler_type=mjrf.SamplerType.TEXTURE_2D,
                )
            )
            self._upload(self.textures[name], np.ascontiguousarray(painted(name)).tobytes())
        return self.textures[name]

    def _upload(self, texture: Any, content: bytes) -> None:
        data = self.mjrf.TextureData()
        data.set_image(content)
        texture.upload(data)

    def shine(self, light: Light, focus: NDArray) -> None:
        """Add one of the scene's lights."""
        colour, direction = (np.array(values) for values in (light.colour, light.direction))
        direction = direction / np.linalg.norm(direction)
        params = self.mjrf.LightParams(
            type=self.mjrf.LightType.LIGHT_DIRECTIONAL,
            color=(colour / colour.max()).astype(np.float32),
            intensity=SUN if light.is_sun else FILL,
            cast_shadow=light.is_sun,
            shadow_map_size=SHADOW_SIZE,
            bulb_radius=SUN_RADIUS,
        )
        lamp = self._add(params)
        lamp.set_pose((focus - SUN_DISTANCE * direction).astype(np.float32), direction.astype(np.float32))

    def _add(self, params: Any) -> Any:
        lamp = self.context.create_light(params)
        self.scene.add_light(lamp)
        self.lights.append(lamp)
        return lamp

    def look_through(self, camera: Any) -> None:
        eye = mujoco.MjvGLCamera()
        aim(eye, camera)
        names = ("pos", "forward", "up", "frustum_bottom", "frustum_top", "frustum_near", "frustum_far")
        self.request = self.mjrf.RenderRequest(scene=self.scene, target=self.target)
        self.request.camera = self.mjrf.Camera(**{name: getattr(eye, name) for name in names})
        self.request.viewport = self.mjrf.Rect(0, 0, *self.size)

    def picture(self) -> NDArray[np.uint8]:
        self.context.wait_for_frame(self.context.render([self.request], [self.read]))
        return self.pixels.copy()


class _Prop:
    """One body, prepared for the renderer."""

    def __init__(self, filament: _Filament, body: BodyFacts, name: str) -> None:
        mjrf, surface = filament.mjrf, MATERIALS[name]
        self.scene, self.colour, self.is_shown = filament.scene, np.array(surface.colour), False
        self.turn = GRAIN_TURNS[int(np.argmax(np.round(body.size, 6)))] if body.shape == "box" else GRAIN_TURNS[0]
        half = np.abs(self.turn.T @ np.array(body.size)) / 2
        is_plane = body.shape == "plane"
        self.material = mjrf.Material(metallic=METALLIC.get(name, 0.0), roughness=ROUGHNESS.get(name, ROUGH))
        if surface.texture:
            self.material.color_texture = filament.texture(surface.texture)
        if is_plane:
            half[2] = 1.0
            self.material.uv_scale = np.array([*(2 * half[:2] / surface.tile), 1.0], dtype=np.float32)
        self.body = filament.context.create_renderable(
            mjrf.RenderableParams(cast_shadow=not is_plane, receive_shadow=True)
        )
        self.body.set_geom_mesh(SHAPES[body.shape], *ROUNDNESS)
        self.body.set_size(half.astype(np.float32))

    def show(self, is_visible: bool) -> None:
        if is_visible != self.is_shown:
            (self.scene.add_renderable if is_visible else self.scene.remove_renderable)(self.body)
        self.is_shown = is_visible

    def place(self, position: NDArray, orientation: NDArray, colour: NDArray) -> None:
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, orientation.astype(float))
        axes = (rotation.reshape(3, 3) @ self.turn).ravel()
        self.body.set_pose(position.astype(np.float32), axes.astype(np.float32))
        self.material.color = np.array([*(colour * self.colour), 1.0], dtype=np.float32)
        self.body.set_material(self.material)


def _options() -> mujoco.MjModel:
    """A model without bodies that carries the renderer's options."""
    spec = mujoco.MjSpec()
    for name, value in OPTIONS.items():
        if isinstance(value, str):
            spec.add_text(name=f"filament.{name}", data=value)
        else:
            spec.add_numeric(name=f"filament.{name}", data=[value], size=1)
    return spec.compile()
