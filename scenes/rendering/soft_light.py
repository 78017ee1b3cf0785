"""Look `classic`: soft shadows, light from all of the ceiling and smooth edges, averaged from plain renderings.

Each rendering has its own sun within the sun's disc, its own ceiling lamps and its own offset within a pixel. The first
state of a clip is drawn completely. Later states are drawn only where they differ from the start of their interval of a
few states: bodies that moved, and their shadows. So a picture depends only on its own state and on the states at those
starts, and twins can share it.
"""

import hashlib
from dataclasses import replace
from itertools import islice

import mujoco
import numpy as np
from numpy.typing import NDArray

from scenes.rendering.materials import FINER
from scenes.rendering.mujoco_renderer import SUN_DISTANCE, Prop, aim, changed_bodies, look_of, place_props
from scenes.rendering.shadow_footprint import PictureArea, disjoint, distances, footprints
from scenes.rendering.studio import DrawingQuality, renderer_for
from scenes.scene import Camera, Light
from scenes.trajectory import Trajectory

RENDERINGS = 4
QUALITY = DrawingQuality(samples=0, shadow_size=384, quads=1, round_quads=(32, 16), blends_sizes=False)
INTERVAL = 10  # states from one start to the next
SUN_RADIUS = 0.035  # of the sun's disc at a distance of 1 metre: a window's penumbra
AMBIENT = 0.20  # light that reaches everything
CEILING = 0.46  # light from the ceiling; a body blocks its part
CEILING_LAMPS = (2, 1, 1, 1)  # of each rendering
LOWEST, HIGHEST = 28.0, 78.0  # degrees of the ceiling's lamps above the horizon
HEIGHTS = 4  # steps in height from one lamp to the next
GOLDEN = np.pi * (3 - np.sqrt(5))  # radians between two lamps: spreads any number of them evenly
TURN = 0.35  # radians, of the first lamp
BRIGHTER = 1.15


class SoftLight:
    """Draws the states of one trajectory."""

    def __init__(self, trajectory: Trajectory, size: tuple[int, int]) -> None:
        self.trajectory, self.size = trajectory, size
        description = trajectory.description
        self.renderer = renderer_for(size, QUALITY)
        self.props = [
            Prop(replace(body, material=FINER.get(body.material, body.material)), self.renderer)
            for body in description.bodies
        ]
        self.lamps = [_lamps(description.lights, number) for number in range(RENDERINGS)]
        self.places = [_places(lamps, description.camera) for lamps in self.lamps]
        self.directions = np.array([lamp.direction for lamps in self.lamps for lamp in lamps if lamp.is_sun])
        bodies = [(body.shape, body.size, body.material) for body in description.bodies]
        constant = repr((size, bodies, description.camera, description.lights))
        self.keys = [hashlib.sha256(constant.encode()).digest()]  # then one for each interval
        self.whole = PictureArea(0, 0, *size)
        self.at_starts: dict[tuple[int, int], list[list[PictureArea]]] = {}  # footprints by state and column
        self.pixel = 0.0  # metres just before the eye
        self.start = -1  # the current state of `renderings`, their sum and `pixels`
        self.renderings: list[NDArray[np.uint8]] = []
        self.total, self.pixels = np.empty(0, dtype=np.uint16), np.empty(0, dtype=np.uint8)
        flags = self.renderer.scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 1
        flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = 0

    def key(self, frame: int) -> bytes:
        """Cache key: everything that the picture of this state depends on, except the state itself."""
        start = frame // INTERVAL
        for number in range(len(self.keys) - 1, start + 1):
            seen = look_of(self.trajectory, number * INTERVAL)
            self.keys.append(hashlib.sha256(self.keys[-1] + seen).digest())
        return self.keys[start + 1]

    def draw(self, frame: int) -> NDArray[np.uint8]:
        """The picture of one state: rows from the top, columns, colours."""
        self._go_to(frame // INTERVAL * INTERVAL)
        pixels, total = self.pixels.copy(), self.total.copy()
        touched = []
        for number, areas in enumerate(self._areas(self.start, frame)):
            for area in areas:
                part = total[area.slices]
                part += self._render(number, area)
                part -= self.renderings[number][area.slices]
            touched += areas
        for area in disjoint(touched):
            pixels[area.slices] = TONES.take(total[area.slices])
        return pixels

    def _go_to(self, start: int) -> None:
        """Draw the state at the start of an interval, after the earlier starts."""
        if self.start < 0 or start < self.start:
            self._place(0)
            self.renderings = [self._render(number, self.whole) for number in range(RENDERINGS)]
            self.start = 0
        elif start == self.start:
            return
        for following in range(self.start + INTERVAL, start + 1, INTERVAL):
            for number, areas in enumerate(self._areas(self.start, following)):
                for area in areas:
                    self.renderings[number][area.slices] = self._render(number, area)
            self.start = following
        self.total = np.sum(self.renderings, axis=0, dtype=np.uint16)
        self.pixels = TONES.take(self.total)

    def _areas(self, before: int, now: int) -> list[list[PictureArea]]:
        """For each rendering, the areas of bodies and shadows that can differ between two states; the second is set."""
        changed = changed_bodies(self.trajectory, before, now)
        if not changed:
            return [[] for _ in range(RENDERINGS)]
        self._place(now)
        every = [self._footprints(state, column) for state in (before, now) for column in changed]
        bodies, *shadows = ([area for found in every for area in found[place]] for place in range(len(every[0])))
        of_lamps = iter(shadows)
        return [
            disjoint(bodies + [area for found in islice(of_lamps, suns) for area in found])
            for suns in (sum(lamp.is_sun for lamp in lamps) for lamps in self.lamps)
        ]

    def _footprints(self, state: int, column: int) -> list[list[PictureArea]]:
        """The footprints of a body in one state; cached for starts, which are needed repeatedly."""
        if (found := self.at_starts.get((state, column))) is None:
            found = footprints(self.trajectory, state, column, self.directions, self.size)
            if state % INTERVAL == 0:
                self.at_starts[state, column] = found
        return found

    def _place(self, state: int) -> None:
        """Set the scene to this state, the nearest bodies first, so that surfaces hidden behind them are not shaded."""
        scene = self.renderer.scene
        order = np.argsort(distances(self.trajectory, state), kind="stable").tolist()
        place_props(self.props, scene, self.trajectory, state, order)
        for place, light in enumerate(self.lamps[0]):  # other renderings have no more lamps, in other places
            _shine(scene.lights[place], light, place)
        for eye in scene.camera:
            aim(eye, self.trajectory.description.camera)
            self.pixel = (eye.frustum_top - eye.frustum_bottom) / self.size[1]

    def _render(self, number: int, area: PictureArea) -> NDArray[np.uint8]:
        """One of the renderings of the state that is set, in this area."""
        scene = self.renderer.scene
        scene.nlight = len(self.places[number])
        for lamp, (position, direction) in zip(scene.lights, self.places[number], strict=False):
            lamp.pos, lamp.dir = position, direction
        for eye in scene.camera:
            _narrow(eye, area, self.size, self.pixel, number)
        return self.renderer.render_area(area.width, area.height)


def _tones() -> NDArray[np.uint8]:
    """Sum of a channel over the renderings -> value shown: brighter in the middle, white stays white."""
    light = np.arange(255 * RENDERINGS + 1) / (255 * RENDERINGS)
    return (255 * light ** (1 / BRIGHTER)).round().astype(np.uint8)


TONES = _tones()


def _lamps(lights: tuple[Light, ...], number: int) -> tuple[Light, ...]:
    """The scene's lights in one rendering: the sun from one point of its disc, and some lamps of the ceiling."""
    turn, radius = number * GOLDEN, SUN_RADIUS * np.sqrt((number + 0.5) / RENDERINGS)
    lamps = []
    for light in lights:
        if not light.is_sun:
            lamps.append(light)
            continue
        direction = np.array(light.direction) / np.linalg.norm(light.direction)
        aside = np.cross(direction, (0.0, 0.0, 1.0))
        aside /= np.linalg.norm(aside)
        moved = direction + radius * (np.cos(turn) * aside + np.sin(turn) * np.cross(direction, aside))
        x, y, z = moved / np.linalg.norm(moved)
        lamps.append(Light((float(x), float(y), float(z)), light.colour, is_sun=True))
    first = sum(CEILING_LAMPS[:number])
    return (*lamps, *(_ceiling_lamp(first + each) for each in range(CEILING_LAMPS[number])))


def _ceiling_lamp(number: int) -> Light:
    """One of all renderings' lamps; their heights are evenly spread in their sine, as the area of a hemisphere is."""
    lamps = sum(CEILING_LAMPS)
    low, high = np.sin(np.radians([LOWEST, HIGHEST]))
    height = low + (high - low) * ((number * HEIGHTS % lamps) + 0.5) / lamps
    flat, turn = np.sqrt(1 - height**2), number * GOLDEN + TURN
    towards = (float(flat * np.cos(turn)), float(flat * np.sin(turn)), float(-height))
    return Light(towards, (CEILING * RENDERINGS / lamps,) * 3, is_sun=True)


def _places(lamps: tuple[Light, ...], camera: Camera) -> list[tuple[NDArray, NDArray]]:
    """Position and direction of each lamp."""
    directions = [np.array(light.direction) / np.linalg.norm(light.direction) for light in lamps]
    return [(np.array(camera.focus) - SUN_DISTANCE * direction, direction) for direction in directions]


def _shine(lamp: mujoco.MjvLight, light: Light, place: int) -> None:
    lamp.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    lamp.diffuse = light.colour
    lamp.specular = light.colour if place < 2 else (0.0, 0.0, 0.0)  # a ceiling has no highlights
    lamp.ambient = (AMBIENT,) * 3 if place == 0 else (0.0, 0.0, 0.0)
    lamp.castshadow, lamp.headlight = int(light.is_sun), 0
    lamp.attenuation, lamp.cutoff, lamp.exponent = (1.0, 0.0, 0.0), 45.0, 10.0


def _narrow(eye: mujoco.MjvGLCamera, area: PictureArea, size: tuple[int, int], pixel: float, number: int) -> None:
    """Limit the eye to this area, shifted by the rendering's own part of a pixel, which is so large just before it."""
    width, height = size
    aside = (number + 0.5) / RENDERINGS - 0.5
    upwards = ((number * 3 + 1) % RENDERINGS + 0.5) / RENDERINGS - 0.5
    eye.frustum_center = pixel * ((area.left + area.right - width) / 2 + aside)
    eye.frustum_width = pixel * area.width / 2
    eye.frustum_top = pixel * (height / 2 - area.top + upwards)
    eye.frustum_bottom = pixel * (height / 2 - area.bottom + upwards)
