"""Trajectory -> pictures; a state that looks like the previous one is not drawn again."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.rendering.materials import MATERIALS
from scenes.rendering.studio import AreaRenderer, renderer_for
from scenes.scene import Camera, Light
from scenes.trajectory import BodyFacts, Trajectory

SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
}
NEAR, FAR = 0.1, 60.0  # metres
SUN_DISTANCE = 5.0  # metres from the middle of the picture to the middle of the sun's shadow map
AMBIENT = 0.40
DARKEST = 0.08  # of every colour channel: a black cube would be a silhouette without visible edges
VISIBLE_DIGITS = 4  # a tenth of a millimetre is under a twentieth of a pixel: a ball that moves less counts as at rest

# Rotations of a box that turn its longest edge, the direction of the grain, into its x axis.
GRAIN_TURNS = (
    np.eye(3),
    np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
)


@dataclass(frozen=True)
class RenderedFrame:
    pixels: NDArray[np.uint8]  # height, width, 3 (or 4 with opacity)
    is_new: bool  # False: the same array as the picture before


class StateDrawing(Protocol):
    """Draws the states of one trajectory."""

    def draw(self, frame: int) -> NDArray[np.uint8]: ...


def pictures(
    trajectory: Trajectory,
    size: tuple[int, int],
    states: Iterable[int] | None = None,
    *,
    stage: StateDrawing | None = None,
) -> Iterator[RenderedFrame]:
    """Yield pictures of these states, or of all, plainly or on this stage; an unchanged look gives the same array."""
    stage = stage or RenderScene(trajectory, size)
    last_look, pixels = b"", np.empty(0, dtype=np.uint8)
    for frame in range(len(trajectory)) if states is None else states:
        look = look_of(trajectory, frame)
        if look == last_look:
            yield RenderedFrame(pixels, is_new=False)
            continue
        pixels = stage.draw(frame)
        last_look = look
        yield RenderedFrame(pixels, is_new=True)


def look_of(trajectory: Trajectory, frame: int) -> bytes:
    """Everything that can visibly change between states, as bytes; not the rotation of balls, which have one colour."""
    seen, (position, orientation, is_ball) = trajectory.visible[frame], _rounded(trajectory)
    parts = (seen, position[frame, seen], orientation[frame, seen & ~is_ball], trajectory.colour[frame, seen])
    return b"".join(part.tobytes() for part in parts)


def changed_bodies(trajectory: Trajectory, first: int, second: int) -> list[int]:
    """Columns of the bodies that look different in two states."""
    seen, (position, orientation, is_ball) = trajectory.visible[[first, second]], _rounded(trajectory)
    moved = (position[first] != position[second]).any(axis=1)
    moved |= (orientation[first] != orientation[second]).any(axis=1) & ~is_ball
    moved |= (trajectory.colour[first] != trajectory.colour[second]).any(axis=1)
    return np.flatnonzero((moved & seen.any(axis=0)) | (seen[0] != seen[1])).tolist()


@lru_cache(maxsize=4)
def _rounded(trajectory: Trajectory) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Places and poses to the digits that can be seen, and which bodies are balls."""
    position, orientation = (  # + 0.0 makes minus zero plain zero
        values.round(VISIBLE_DIGITS) + np.float32(0) for values in (trajectory.position, trajectory.orientation)
    )
    return position, orientation, np.array([body.shape == "sphere" for body in trajectory.description.bodies])


class RenderScene:
    """The renderer's scene, set up for one trajectory."""

    def __init__(self, trajectory: Trajectory, size: tuple[int, int]) -> None:
        self.trajectory = trajectory
        self.renderer = renderer_for(size)
        description = trajectory.description
        self.props = [Prop(body, self.renderer) for body in description.bodies]
        scene = self.renderer.scene
        for eye in scene.camera:
            aim(eye, description.camera)
        for number, light in enumerate(description.lights):
            _light(scene.lights[number], light, number, description.camera)
        scene.nlight = len(description.lights)
        scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 1
        scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = 0

    def draw(self, frame: int) -> NDArray[np.uint8]:
        place_props(self.props, self.renderer.scene, self.trajectory, frame)
        return self.renderer.render()


def place_props(
    props: Sequence["Prop"],
    scene: mujoco.MjvScene,
    trajectory: Trajectory,
    frame: int,
    order: Sequence[int] | None = None,
) -> None:
    """Put exactly the bodies of this frame into the scene; in the order of these columns, if any."""
    visible = [column for column in order or range(len(props)) if trajectory.visible[frame, column]]
    for number, column in enumerate(visible):
        props[column].place(
            scene.geoms[number],
            trajectory.position[frame, column],
            trajectory.orientation[frame, column],
            trajectory.colour[frame, column],
        )
    scene.ngeom = len(visible)


class Prop:
    """One body, prepared for the renderer."""

    def __init__(self, body: BodyFacts, renderer: AreaRenderer) -> None:
        self.kind = SHAPES[body.shape]
        self.material = MATERIALS[body.material]
        self.material_number, self.texture = renderer.numbers_of(body.material)
        self.throws_shadow = body.shape != "plane"  # a wall that shades itself would have specks
        is_box = body.shape == "box"
        self.turn = GRAIN_TURNS[int(np.argmax(np.round(body.size, 6)))] if is_box else GRAIN_TURNS[0]
        size = np.abs(self.turn.T @ np.array(body.size)) / 2
        self.size = size if body.shape != "cylinder" else size[[0, 2, 2]]  # radius and half a height
        self.repeat = tuple(2 * edge / self.material.tile for edge in size[:2])
        self.state = b""  # in which `placed` was computed
        self.placed: tuple[NDArray, NDArray, NDArray] | None = None  # centre, axes and colour

    def place(self, geom: mujoco.MjvGeom, position: NDArray, orientation: NDArray, colour: NDArray) -> None:
        state = position.tobytes() + orientation.tobytes() + colour.tobytes()
        if self.placed is None or state != self.state:
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, orientation.astype(float))
            axes = (rotation.reshape(3, 3) @ self.turn).ravel()
            rgba = np.array([*np.maximum(colour * self.material.colour, DARKEST), 1.0], dtype=np.float32)
            self.state, self.placed = state, (position.astype(float), axes, rgba)
        mujoco.mjv_initGeom(geom, self.kind, self.size, *self.placed)
        geom.matid, geom.texid = self.material_number, self.texture
        geom.texuniform, geom.texrepeat = 0, self.repeat
        geom.castshadow = int(self.throws_shadow)
        geom.specular, geom.shininess = self.material.specular, self.material.shininess


def aim(eye: mujoco.MjvGLCamera, camera: Camera) -> None:
    """Point a renderer's eye in the camera's direction."""
    forward = np.subtract(camera.focus, camera.position)
    forward /= np.linalg.norm(forward)
    up = np.array(camera.up) - forward * np.dot(camera.up, forward)
    eye.pos, eye.forward, eye.up = camera.position, forward, up / np.linalg.norm(up)
    eye.orthographic, eye.frustum_center, eye.frustum_width = 0, 0.0, 0.0
    eye.frustum_near, eye.frustum_far = NEAR, FAR
    eye.frustum_top = NEAR * math.tan(math.radians(camera.height_angle / 2))
    eye.frustum_bottom = -eye.frustum_top


def _light(lamp: mujoco.MjvLight, light: Light, number: int, camera: Camera) -> None:
    direction = np.array(light.direction) / np.linalg.norm(light.direction)
    lamp.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    lamp.pos, lamp.dir = np.array(camera.focus) - SUN_DISTANCE * direction, direction
    lamp.diffuse = lamp.specular = light.colour
    # MuJoCo omits a shadowed lamp's ambient light inside its shadow, so the first, shadowless lamp gives all of it.
    lamp.ambient = (AMBIENT,) * 3 if number == 0 else (0.0, 0.0, 0.0)
    lamp.castshadow, lamp.headlight = int(light.is_sun), 0
    lamp.attenuation, lamp.cutoff, lamp.exponent = (1.0, 0.0, 0.0), 45.0, 10.0
