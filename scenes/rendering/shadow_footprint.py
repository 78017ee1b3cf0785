"""The part of a picture that a body and its shadows cover: nothing else changes when the body does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera
from scenes.trajectory import Trajectory

MARGIN = 3  # pixels: for the smoothing of edges and the filtering of shadows
BETWEEN, MOST = 0.25, 8  # metres between the points of a body, and points along an edge
FURTHEST = 12.0  # metres that a shadow reaches where nothing ends it
OVERHEAD = 12000  # pixels whose drawing costs as much as drawing an area of its own
NEAREST = 0.3  # metres before the eye


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
    """Areas that cover these and do not meet; close ones become one where that is cheaper to draw."""
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
    trajectory: Trajectory, state: int, columns: Sequence[int], lamps: NDArray, size: tuple[int, int]
) -> list[list[PictureArea]]:
    """Areas of these bodies in this state, and one list more for each lamp direction: those of their shadows."""
    camera, obstacles = trajectory.description.camera, Obstacles(trajectory, state)
    found: list[list[PictureArea]] = [[] for _ in range(len(lamps) + 1)]
    for column in columns:
        if trajectory.visible[state, column]:
            points = _points_of(trajectory, state, column)
            reached = points + lamps[:, None] * obstacles.reach(points, lamps, column)[..., None]
            for areas, area in zip(found, _seen(np.concatenate([points[None], reached]), camera, size), strict=True):
                areas += [area] if area.width > 0 and area.height > 0 else []
    return found


def _points_of(trajectory: Trajectory, state: int, column: int) -> NDArray[np.float64]:
    """Points throughout the body's box, corners included, no further apart than `BETWEEN` if they need not be more."""
    size = np.array(trajectory.description.bodies[column].size)
    axes = [np.linspace(-0.5, 0.5, min(MOST, 2 + int(edge / BETWEEN))) * edge for edge in size]
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return lattice @ turned(trajectory.orientation[state, column]).T + trajectory.position[state, column].astype(float)


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


class Obstacles:
    """What shadows fall on in one state: planes and boxes."""

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

    def reach(self, starts: NDArray, lamps: NDArray, column: int) -> NDArray[np.float64]:
        """How far light of each direction goes from each point within a body until it meets another body."""
        distances = np.full((len(lamps), len(starts)), FURTHEST)
        if len(self.points):
            falling = (lamps @ self.normals.T)[:, None]
            above = ((starts[:, None] - self.points) * self.normals).sum(axis=2)
            with np.errstate(divide="ignore", invalid="ignore"):
                hits = np.where((falling < -1e-9) & (above >= 0), above / -falling, FURTHEST)
            distances = np.minimum(distances, hits.min(axis=2))
        return np.minimum(distances, self._to_boxes(starts, lamps, column)) if len(self.boxes) else distances

    def _to_boxes(self, starts: NDArray, lamps: NDArray, column: int) -> NDArray[np.float64]:
        along = np.einsum("bji,lj->lbi", self.turn, lamps)[:, None]
        along = np.where(np.abs(along) < 1e-9, 1e-9, along)
        local = np.einsum("bji,pbj->pbi", self.turn, starts[:, None] - self.place)
        one, other = (-self.half - local) / along, (self.half - local) / along
        enters, leaves = np.minimum(one, other).max(axis=3), np.maximum(one, other).min(axis=3)
        is_hit = (enters <= leaves) & (leaves > 0) & (self.boxes != column)
        return np.where(is_hit, np.maximum(enters, 0), FURTHEST).min(axis=2)


def _seen(points: NDArray, camera: Camera, size: tuple[int, int]) -> list[PictureArea]:
    """For each set of points the area of the picture that holds all of them; it can be empty."""
    width, height = size
    forward = np.subtract(camera.focus, camera.position)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up)
    right /= np.linalg.norm(right)
    away = points - np.array(camera.position)
    depth = np.maximum(away @ forward, NEAREST)  # what lies behind the eye is as far aside as just before it
    scale = height / 2 / np.tan(np.radians(camera.height_angle / 2))
    x = width / 2 + scale * (away @ right) / depth
    y = height / 2 - scale * (away @ np.cross(right, forward)) / depth
    edges = np.stack([x.min(1), y.min(1), -x.max(1), -y.max(1)])
    left, top, right_end, bottom = np.floor(edges) - MARGIN
    limits = np.stack([left.clip(0), top.clip(0), (-right_end).clip(max=width), (-bottom).clip(max=height)], axis=1)
    return [PictureArea(*(int(edge) for edge in line)) for line in limits]
