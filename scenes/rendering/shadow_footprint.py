"""The part of a picture that a body and its shadows cover: only this part changes when the body does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera
from scenes.trajectory import Trajectory

MARGIN = 3  # pixels: for the smoothing of edges and the filtering of shadows
AROUND = 1 / 48  # of the picture's height: margin of a shadow around the traced rays
BETWEEN, MOST = 0.12, 18  # metres between the points of a body, and points along an edge
FURTHEST = 12.0  # metres that light is followed
OVERHEAD = 20000  # pixels that cost as much to draw as a further area
NEAREST = 0.3  # metres before the eye
NOTHING = 0  # number of the obstacle of light that meets none


@dataclass(frozen=True)
class PictureArea:
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
    def pixels(self) -> int:
        return self.width * self.height

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

    def meets(self, other: "PictureArea") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def disjoint(areas: Sequence[PictureArea]) -> list[PictureArea]:
    """Disjoint areas that cover these; close ones are merged if that is cheaper to draw."""
    found: list[PictureArea] = []
    waiting = list(areas)
    while waiting:
        area = waiting.pop()
        for other in found:
            joined = area.joined(other)
            if area.meets(other) or joined.pixels < area.pixels + other.pixels + OVERHEAD:
                found.remove(other)
                waiting.append(joined)
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
    distances, met = Obstacles(trajectory, state).reach(points, lamps, column)
    landed = _seen(points + lamps[:, None] * distances[..., None], camera, size)
    for areas, spots, surfaces in zip(found[1:], landed, np.where(distances > 0, met, NOTHING), strict=True):
        for surface in set(surfaces.tolist()) - {NOTHING}:
            areas += _around(spots[surfaces == surface], size, MARGIN + round(AROUND * size[1]))
    return found


def _points_of(trajectory: Trajectory, state: int, column: int) -> NDArray[np.float64]:
    """Points on the faces of the body's box with its corners, at most `BETWEEN` apart unless that needs too many."""
    size = np.array(trajectory.description.bodies[column].size)
    axes = [np.linspace(-0.5, 0.5, min(MOST, 2 + int(edge / BETWEEN))) * edge for edge in size]
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    on_face = np.ones(lattice.shape[:3], dtype=bool)
    on_face[1:-1, 1:-1, 1:-1] = False
    turn, place = turned(trajectory.orientation[state, column]), trajectory.position[state, column].astype(float)
    return lattice[on_face] @ turn.T + place


def turned(quaternion: NDArray) -> NDArray[np.float64]:
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = quaternion.astype(float)
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
    left, top = np.maximum(np.floor(pixels.min(axis=0)) - margin, 0).astype(int).tolist()
    right, bottom = np.minimum(np.ceil(pixels.max(axis=0)) + margin, size).astype(int).tolist()
    return [PictureArea(left, top, right, bottom)] if left < right and top < bottom else []
