"""Distances, projections and lines of sight, computed from a trajectory alone."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scenes.scene import STEP, Camera
from scenes.trajectory import Trajectory

Floats = NDArray[np.float64]

SILHOUETTE_POINTS = 24
PACE = 0.05  # metres a second by which a constant speed may vary
JUMP = 0.14  # metres between two states: faster than any body moves (7 m/s)
MOST_CACHED = 64  # bodies: those of the trajectory that is audited, and of a few before it


def rotations(quaternions: NDArray) -> Floats:
    """Rotation matrices of unit quaternions w, x, y, z."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, dtype=float), -1, 0)
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x, y * y, z * z, x * y, x * z, y * z, w * x, w * y, w * z
    rows = [
        [1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)],
        [2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)],
        [2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


@lru_cache(maxsize=MOST_CACHED)
def _turns(trajectory: Trajectory, body: int) -> Floats:
    """Rotation matrices of this body in every state; most checks need them again."""
    return rotations(trajectory.orientation[:, body])


@lru_cache(maxsize=MOST_CACHED)
def _is_straight(trajectory: Trajectory, body: int) -> bool:
    """Whether the edges of this box are parallel to the axes in every state."""
    return np.allclose(np.abs(_turns(trajectory, body)), np.eye(3), atol=1e-6)


@lru_cache(maxsize=MOST_CACHED)
def _reach(trajectory: Trajectory, body: int) -> Floats:
    """Half sizes of the axis-aligned box around a turned one."""
    half = np.array(trajectory.description.bodies[body].size) / 2
    return np.abs(_turns(trajectory, body)) @ half


def surface_distances(trajectory: Trajectory, first: int, second: int) -> Floats:
    """Metres between the surfaces of two bodies in every state, negative where they overlap.

    One of the two may be turned. For a turned box and another box it is the largest gap along any separating axis:
    exact where they overlap, otherwise a lower bound of the distance.
    """
    bodies = trajectory.description.bodies
    if bodies[second].shape == "sphere" and bodies[first].shape != "sphere":
        first, second = second, first
    here, there = trajectory.position[:, first].astype(float), trajectory.position[:, second].astype(float)
    if bodies[first].shape == "sphere" and bodies[second].shape == "sphere":
        return np.linalg.norm(here - there, axis=1) - (bodies[first].size[0] + bodies[second].size[0]) / 2
    if bodies[first].shape == "sphere":
        turned = _turns(trajectory, second)
        beyond = np.abs(np.einsum("fji,fj->fi", turned, here - there)) - np.array(bodies[second].size) / 2
        return _outside(beyond) - bodies[first].size[0] / 2
    if _is_straight(trajectory, first) and _is_straight(trajectory, second):
        return _outside(np.abs(here - there) - _reach(trajectory, first) - _reach(trajectory, second))
    extents = [np.array(bodies[body].size) / 2 for body in (first, second)]
    return _widest(here - there, [_turns(trajectory, body) for body in (first, second)], extents)


def _widest(between: Floats, turns: list[Floats], extents: list[Floats]) -> Floats:
    """Largest gap between two boxes' projections on the axes of the separating-axis theorem, in every state."""
    own = [np.moveaxis(turn, 2, 1) for turn in turns]  # state, axis, coordinates
    crossed = np.cross(own[0][:, :, None], own[1][:, None, :]).reshape(len(between), 9, 3)
    length = np.linalg.norm(crossed, axis=2, keepdims=True)
    crossed = np.where(length > 1e-6, crossed / np.maximum(length, 1e-6), own[0][:, :1])
    axes = np.concatenate([*own, crossed], axis=1)
    reach = sum(np.abs(axes @ turn) @ half for turn, half in zip(turns, extents, strict=True))
    return (np.abs(np.einsum("fac,fc->fa", axes, between)) - reach).max(axis=1)


def _outside(beyond: Floats) -> Floats:
    return np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)


def step_lengths(trajectory: Trajectory, body: int) -> Floats:
    """Metres from each state to the next."""
    return np.linalg.norm(np.diff(trajectory.position[:, body].astype(float), axis=0), axis=1)


def speeds(trajectory: Trajectory, body: int) -> Floats:
    """Metres a second from each state to the next; 0 after the last."""
    return np.append(step_lengths(trajectory, body) / np.diff(trajectory.time), 0.0)


def first_true(claims: NDArray[np.bool_]) -> int | None:
    return int(np.argmax(claims)) if claims.any() else None


def jump_of(trajectory: Trajectory, body: int) -> int | None:
    """The first state that the body can have reached only by a jump, or None."""
    frame = first_true(step_lengths(trajectory, body) > JUMP)
    return None if frame is None else frame + 1


def is_steady(speed: Floats, limits: tuple[float, float]) -> bool:
    """Whether there is a motion whose speed is constant and lies within these limits."""
    low, high = limits
    return bool(len(speed)) and bool(speed.min() >= low - PACE and speed.max() <= high + PACE and np.ptp(speed) <= PACE)


def metres_beside(path: Floats) -> Floats:
    """Metres between each point (x, y) of a path and the straight line from its first to its last."""
    way, arm = path[-1] - path[0], path - path[0]
    return np.abs(way[0] * arm[:, 1] - way[1] * arm[:, 0]) / max(float(np.linalg.norm(way)), 1e-9)


def free_states(trajectory: Trajectory, ball: int, touching: float) -> NDArray[np.intp]:
    """The states in which no solid box was, is or will be at once within this distance of the ball."""
    bodies = trajectory.description.bodies
    boxes = [column for column, body in enumerate(bodies) if column != ball and body.is_solid and body.shape == "box"]
    free = np.min([surface_distances(trajectory, ball, box) for box in boxes], axis=0) > touching
    return np.flatnonzero(free[:-2] & free[1:-1] & free[2:]) + 1


def first_unlike_free_fall(trajectory: Trajectory, ball: int, states: NDArray[np.intp], tolerance: float) -> int | None:
    """The first of these states in which the ball's acceleration differs from gravity's by more, or None."""
    pull = np.diff(trajectory.position[:, ball].astype(float), n=2, axis=0) / STEP**2
    wrong = first_true(np.linalg.norm(pull[states - 1] - trajectory.description.gravity, axis=1) > tolerance)
    return None if wrong is None else int(states[wrong])


def corners_of(trajectory: Trajectory, column: int, state: int) -> NDArray[np.float64]:
    """The corners of the box around a body in one state, [8, 3]; a ball's does not turn."""
    body = trajectory.description.bodies[column]
    corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T * body.size
    turned = corners if body.shape == "sphere" else corners @ rotations(trajectory.orientation[state, column]).T
    return trajectory.position[state, column].astype(float) + turned


def in_picture(camera: Camera, points: NDArray) -> Floats:
    """Right, up and depth of points as the camera sees them; the picture's upper edge is at up = 1."""
    forward = np.subtract(camera.focus, camera.position)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, camera.up)
    right /= np.linalg.norm(right)
    away = np.asarray(points, dtype=float) - camera.position
    depth = away @ forward
    scale = depth * math.tan(math.radians(camera.height_angle / 2))
    return np.stack([away @ right / scale, away @ np.cross(right, forward) / scale, depth], axis=-1)


def is_hidden(trajectory: Trajectory, body: int, frame: int) -> bool:
    """Whether other bodies hide every sampled point of this body's outline from the camera."""
    eye = np.array(trajectory.description.camera.position, dtype=float)
    points = _outline(trajectory, body, frame, eye)
    boxes = [
        other
        for other, facts in enumerate(trajectory.description.bodies)
        if other != body and facts.shape == "box" and trajectory.visible[frame, other]
    ]
    return bool(boxes) and bool(_blocked(trajectory, boxes, frame, eye, points).any(axis=0).all())


def _outline(trajectory: Trajectory, body: int, frame: int, eye: Floats) -> Floats:
    """Points to test: a ball's centre and its outline seen from the eye, or a box's corners, moved inwards by one per
    cent."""
    centre = trajectory.position[frame, body].astype(float)
    facts = trajectory.description.bodies[body]
    if facts.shape != "sphere":
        corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T * facts.size * 0.99
        return centre + corners @ rotations(trajectory.orientation[frame, body]).T
    sight = (centre - eye) / np.linalg.norm(centre - eye)
    aside = np.cross(sight, (0.0, 0.0, 1.0))
    aside /= np.linalg.norm(aside)
    turn = np.linspace(0, 2 * math.pi, SILHOUETTE_POINTS, endpoint=False)[:, None]
    ring = np.cos(turn) * aside + np.sin(turn) * np.cross(sight, aside)
    return np.vstack([centre + 0.99 * facts.size[0] / 2 * ring, centre])


def _blocked(trajectory: Trajectory, boxes: list[int], frame: int, eye: Floats, points: Floats) -> NDArray[np.bool_]:
    """Whether the line of each point to the eye passes through each box, [boxes, points]."""
    turns = rotations(trajectory.orientation[frame, boxes])
    centres = trajectory.position[frame, boxes].astype(float)
    starts, ways = np.einsum("bi,bij->bj", eye - centres, turns), (points - eye) @ turns
    ways = np.where(np.abs(ways) < 1e-12, 1e-12, ways)
    half = np.array([trajectory.description.bodies[box].size for box in boxes]) / 2
    near, far = (-half - starts)[:, None] / ways, (half - starts)[:, None] / ways
    enters, leaves = np.minimum(near, far).max(axis=2), np.maximum(near, far).min(axis=2)
    blocked: NDArray[np.bool_] = (enters < leaves) & (leaves > 0) & (enters < 1)
    return blocked
