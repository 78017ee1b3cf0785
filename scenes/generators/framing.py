"""The cameras of corrected clips: at most 45 degrees wide, so that balls look round, and as close as possible."""

import math
from dataclasses import dataclass, replace

import numpy as np

from scenes.scene import Camera, Scene, Vector

WIDEST = 45.0  # degrees, the vertical field of view


@dataclass(frozen=True)
class Framing:
    """The part of the published picture at its focus that the new one shows: its share of the height, and its shift."""

    share: float = 1.0
    aside: Vector = (0.0, 0.0, 0.0)  # metres
    higher: float = 0.0  # metres by which the camera stands higher


FRAMES: dict[str, Framing] = {
    "Shape": Framing(0.8),
    "Color": Framing(0.8),
    "Direction": Framing(0.93),
    "Movement": Framing(0.93),
    "Unchangeableness": Framing(0.5, aside=(0.0, 0.0, -0.4)),
    "Unchangeableness2": Framing(0.95),
    "ObjectPermanence2": Framing(0.85),
    "ObjectPermanence3": Framing(0.95, higher=0.4),
    "Inertia": Framing(0.78, aside=(0.4, 0.0, 0.0)),
    "GravityContinuity": Framing(0.95),
    "Inertia2": Framing(0.82),
    "Continuity": Framing(0.85),
}


def framed(scene: Scene) -> Scene:
    """The scene before a camera that stands further back on its line of sight and looks through a narrower lens."""
    frame = FRAMES.get(scene.test, Framing())
    camera = scene.camera
    away = np.subtract(camera.position, camera.focus)
    closer = math.tan(math.radians(camera.height_angle / 2)) / math.tan(math.radians(WIDEST / 2)) * frame.share
    focus = np.add(camera.focus, frame.aside)
    position = focus + away * closer + [0.0, 0.0, frame.higher]
    return replace(scene, camera=Camera(_point(position), _point(focus), camera.up, WIDEST))


def _point(values: np.ndarray) -> Vector:
    x, y, z = values
    return (float(x), float(y), float(z))
