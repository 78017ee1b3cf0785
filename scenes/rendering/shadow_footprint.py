"""The part of a picture that a body and its shadows cover: only this part changes when the body does."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera, Vector
from scenes.trajectory import Trajectory

MARGIN = 3  # pixels: for the smoothing of edges and the filtering of shadows
AROUND = 1 / 48  # of the picture's height: margin of a shadow around the traced rays
BETWEEN, MOST = 0.12, 18  # metres between the points of a body, and points along an edge
FURTHEST = 12.0  # metres that light is followed
OVERHEAD = 20000  # pixels that cost as much to draw as a further area
NEAREST = 0.3  # metres before the eye
NOTHING = 0  # number of the obstacle of light that meets none


class PictureArea(NamedTuple):
    """A rectangle of pixels, from the picture's upper left corner; right and bottom lie outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def joined(self, other: "PictureArea") -> "PictureArea":
        return PictureArea(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


def disjoint(areas: Sequence[PictureArea]) -> list[PictureArea]:
    """Disjoint areas that cover these; close ones are merged if that is cheaper to draw."""
    found: list[PictureArea] = []
    waiting = list(areas)
    while waiting:
        area = waiting.pop()
        left, top, right, bottom = area
        for other in found:
            # Written out, since there are thousands of pairs in a clip.
            across = (right if right > other[2] else other[2]) - (left if left < other[0] else other[0])
            down = (bottom if bottom > other[3] else other[3]) - (top if top < other[1] else other[1])
            apart = (right - left) * (bottom - top) + (other[2] - other[0]) * (other[3] - other[1])
            is_met = left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
            if is_met or across * down < apart + OVERHEAD:
                found.remove(other)
                waiting.append(area.joined(other))
                break
        else:
            found.append(area)
    return found


def footprints(
    trajectory: Trajectory, state: int, column: int, lamps: NDArray, size: tuple[int, int]
) -> list[list[PictureArea]]:
    """Areas of this body in this state, then one list for each lamp direction with the areas of its shadow.

    A shadow has an area on each of the surfaces that the light meets next; between two surfaces it darkens nothing.
    """
    found: list[list[PictureArea]] = [[] for _ in range(len(lamps) + 1)]
    if not trajectory.visible[state, column]:
        return found
    camera, points = trajectory.description.camera, _points_of(trajectory, state, column)
    found[0] = _around(_seen(points, camera, size), size, MARGIN)
    distances, met = _obstacles(trajectory, state).reach(points, lamps, column)
    landed = _seen(points + lamps[:, None] * distances[..., None], camera, size)
    surfaces = np.where(distances > 0, met, NOTHING)
    around = _around_each(landed, surfaces, size, MARGIN + round(AROUND * size[1]))
    for areas, lamp, own in zip(found[1:], around, surfaces.tolist(), strict=True):
        areas += [lamp[surface] for surface in set(own) - {NOTHING} if surface in lamp]
    return found


def _points_of(trajectory: Trajectory, state: int, column: int) -> NDArray[np.float64]:
    """Points on the faces of the body's box with its corners, at most `BETWEEN` apart unless that needs too many."""
    turn, place = turned(trajectory.orientation[state, column]), trajectory.position[state, column].astype(float)
    return _lattice(trajectory.description.bodies[column].size) @ turn.T + place


@lru_cache(maxsize=128)
def _lattice(size: Vector) -> NDArray[np.float64]:
    """The points of a box of this size around its middle."""
    axes = [np.linspace(-0.5, 0.5, min(MOST, 2 + int(edge / BETWEEN))) * edge for edge in size]
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    on_face = np.ones(lattice.shape[:3], dtype=bool)
    on_face[1:-1, 1:-1, 1:-1] = False
    return lattice[on_face]


def turned(quaternion: NDArray) -> NDArray[np.float64]:
    """Rotation matrix of a unit quaternion."""
    return _turned(*quaternion.tolist())


@lru_cache(maxsize=1024)
def _turned(w: float, x: float, y: float, z: float) -> NDArray[np.float64]:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def distances(trajectory: Trajectory, state: int) -> NDArray[np.float64]:
    """Metres from the eye to the box around each body; planes lie furthest away."""
    bodies, eye = trajectory.description.bodies, np.array(trajectory.description.camera.position)
    half = np.array([body.size for body in bodies]) / 2
    away = eye - trajectory.position[state].astype(float)
    local = np.array([turned(turn).T @ one for turn, one in zip(trajectory.orientation[state], away, strict=True)])
    is_plane = np.array([body.shape == "plane" for body in bodies])
    return np.where(is_plane, np.inf, np.linalg.norm(np.maximum(np.abs(local) - half, 0), axis=1))


@lru_cache(maxsize=4)
def _obstacles(trajectory: Trajectory, state: int) -> "Obstacles":
    return Obstacles(trajectory, state)


class Obstacles:
    """The surfaces that shadows fall on in one state: planes and boxes."""

    def __init__(self, trajectory: Trajectory, state: int) -> None:
        bodies = trajectory.description.bodies
        visible = np.flatnonzero(trajectory.visible[state]).tolist()
        self.boxes = np.array([column for column in visible if bodies[column].shape == "box"], dtype=int)
        self.half = np.array([bodies[column].size for column in self.boxes]).reshape(-1, 3) / 2
        self.turn = np.array([turned(trajectory.orientation[state, column]) for column in self.boxes]).reshape(-1, 3, 3)
        self.place = trajectory.position[state, self.boxes].astype(float)
        planes = [column for column in visible if bodies[column].shape == "plane"]
        self.points = trajectory.position[state, planes].astype(float)
        self.normals = np.array([turned(trajectory.orientation[state, column])[:, 2] for column in planes]).reshape(
            -1, 3
        )

    def reach(self, starts: NDArray, lamps: NDArray, column: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each direction of light and point of a body, the distance to the next obstacle and its number, or
        NOTHING.
        """
        distances = np.full((len(lamps), len(starts), 1 + len(self.boxes) + len(self.points)), FURTHEST)
        if len(self.boxes):
            distances[..., 1 : 1 + len(self.boxes)] = self._to_boxes(starts, lamps, column)
        if len(self.points):
            falling = (lamps @ self.normals.T)[:, None]
            above = ((starts[:, None] - self.points) * self.normals).sum(axis=2)
            with np.errstate(divide="ignore", invalid="ignore"):
                hits = np.where((falling < -1e-9) & (above >= 0), above / -falling, FURTHEST)
            distances[..., 1 + len(self.boxes) :] = hits
        return distances.min(axis=2), distances.argmin(axis=2)

    def _to_boxes(self, starts: NDArray, lamps: NDArray, column: int) -> NDArray[np.float64]:
        # The three axes come first in memory: minima of three numbers each would take nearly all of the time.
        along = np.einsum("bji,lj->ilb", self.turn, lamps, order="C")[:, :, None]
        along = np.where(np.abs(along) < 1e-9, 1e-9, along)
        local = np.einsum("bji,pbj->ipb", self.turn, starts[:, None] - self.place, order="C")[:, None]
        half = self.half.T[:, None, None]
        one, other = (-half - local) / along, (half - local) / along
        enters, leaves = np.minimum(one, other).max(axis=0), np.maximum(one, other).min(axis=0)
        is_hit = (enters <= leaves) & (leaves > 0) & (self.boxes != column)
        return np.where(is_hit, np.maximum(enters, 0), FURTHEST)


def _seen(points: NDArray, camera: Camera, size: tuple[int, int]) -> NDArray[np.float64]:
    """Pixels of these points in the picture, right and down."""
    width, height = size
    forward = np.subtract(camera.focus, camera.position)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up)
    right /= np.linalg.norm(right)
    away = points - np.array(camera.position)
    depth = np.maximum(away @ forward, NEAREST)  # points behind the eye are placed as far aside as just before it
    scale = height / 2 / np.tan(np.radians(camera.height_angle / 2))
    across, up = away @ right / depth, away @ np.cross(right, forward) / depth
    return np.stack([width / 2 + scale * across, height / 2 - scale * up], axis=-1)


def _around(pixels: NDArray, size: tuple[int, int], margin: int) -> list[PictureArea]:
    """The area of these pixels with a margin; none if it lies outside the picture."""
    return list(_around_each(pixels[None], np.ones((1, len(pixels)), dtype=int), size, margin)[0].values())


def _around_each(
    pixels: NDArray, surfaces: NDArray, size: tuple[int, int], margin: int
) -> list[dict[int, PictureArea]]:
    """For each lamp, the areas with a margin of its pixels on each surface, but of none outside the picture."""
    number = surfaces.max() + 1
    keys = (surfaces + number * np.arange(len(surfaces))[:, None]).ravel()
    order = keys.argsort(kind="stable")
    keys, spots = keys[order], pixels.reshape(-1, 2)[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    corners = np.maximum(np.floor(np.minimum.reduceat(spots, starts)) - margin, 0).astype(int).tolist()
    ends = np.minimum(np.ceil(np.maximum.reduceat(spots, starts)) + margin, size).astype(int).tolist()
    found: list[dict[int, PictureArea]] = [{} for _ in surfaces]
    for key, (left, top), (right, bottom) in zip(keys[starts].tolist(), corners, ends, strict=True):
        if left < right and top < bottom:
            found[key // number][key % number] = PictureArea(left, top, right, bottom)
    return found
