"""The recorded motion of a scene, step by step: the only data that the audit and the renderer read.

File format: a compressed NumPy archive (`.npz`) with F recorded states, B bodies and C contacts.

============ ========== ======= ================================================================
array        shape      type    meaning
============ ========== ======= ================================================================
time         F          float64 seconds since the start, 0.02 apart
position     F, B, 3    float32 centres in metres; x right, y away from the side camera, z up
orientation  F, B, 4    float32 unit quaternions w, x, y, z
colour       F, B, 3    float32 red, green, blue from 0 to 1; multiplies the material's texture
visible      F, B       bool    whether the body is present in the scene
contacts     C, 3       int32   state, body, body: contacts with a free body
seen         F, B       float16 unhidden share of the body's pixels, from 0 to 1 (see `visibility`);
                                only in clips that were drawn, and no part of the digest
description  –          text    JSON: what stays the same (see `Description`)
============ ========== ======= ================================================================
"""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenes.scene import Camera, Light, Scene, Vector
from scenes.whole_files import whole

STILL = 1e-4  # metres, shares: a smaller change from one state to the next counts as rest
ARRAYS = ("time", "position", "orientation", "colour", "visible", "contacts")


@dataclass(frozen=True)
class BodyFacts:
    """The constant properties of one body; `size` is its full edge lengths in metres, `mass` is in kilograms."""

    name: str
    role: str
    shape: str
    size: Vector
    material: str
    motion: str
    is_solid: bool
    mass: float


@dataclass(frozen=True)
class Description:
    """The constant part of a trajectory, without the intended answer."""

    test: str
    bodies: tuple[BodyFacts, ...]
    camera: Camera
    lights: tuple[Light, ...]
    gravity: Vector


def described(scene: Scene) -> Description:
    """The part of a scene that its trajectory file records."""
    bodies = tuple(
        BodyFacts(body.name, body.role, body.shape, body.size, body.material, body.motion, body.is_solid, body.mass)
        for body in scene.bodies
    )
    return Description(scene.test, bodies, scene.camera, scene.lights, scene.gravity)


@dataclass(frozen=True, eq=False)
class Trajectory:
    description: Description
    time: NDArray[np.float64]
    position: NDArray[np.float32]
    orientation: NDArray[np.float32]
    colour: NDArray[np.float32]
    visible: NDArray[np.bool_]
    contacts: NDArray[np.int32]
    seen: NDArray[np.float16] | None = None

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def names(self) -> dict[str, int]:
        """Column of each body."""
        return {body.name: column for column, body in enumerate(self.description.bodies)}

    def with_role(self, role: str) -> list[int]:
        """Columns of the bodies with this role, in the order of the scene."""
        return [column for column, body in enumerate(self.description.bodies) if body.role == role]

    @cached_property
    def last_change(self) -> int:
        """The last state that differs from the one before in any body's place, pose, colour or presence."""
        changed = np.zeros(len(self), dtype=bool)
        for values in (self.position, self.orientation, self.colour):
            steps = np.abs(np.diff(values.astype(float), axis=0)).max(axis=(1, 2))
            changed[1:] |= steps > STILL
        changed[1:] |= np.diff(self.visible, axis=0).any(axis=1)
        return int(np.flatnonzero(changed)[-1]) if changed.any() else 0

    def until(self, states: int) -> "Trajectory":
        """The first `states` states, or all."""
        if states >= len(self):
            return self
        arrays = {name: getattr(self, name)[:states] for name in ARRAYS if name != "contacts"}
        return self.changed(**arrays, contacts=self.contacts[self.contacts[:, 0] < states])

    def changed(self, **arrays: Any) -> "Trajectory":
        """A copy with other arrays or another description."""
        return replace(self, **arrays)

    def digest(self) -> str:
        """SHA-256 over every state and the description; equal for equal motion, whatever the file's compression."""
        digest = hashlib.sha256(_as_text(self.description).encode())
        for name in ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()

    def save(self, path: Path) -> None:
        """Write the file completely or not at all."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        if self.seen is not None:
            arrays["seen"] = self.seen
        with whole(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, description=_as_text(self.description), **arrays)

    @classmethod
    def load(cls, path: Path) -> "Trajectory":
        with np.load(path, allow_pickle=False) as archive:
            description = _from_text(str(archive["description"]))
            seen = archive.get("seen")
            return cls(description, **{name: archive[name] for name in ARRAYS}, seen=seen)


def _as_text(description: Description) -> str:
    return json.dumps(asdict(description), sort_keys=True)


def _from_text(text: str) -> Description:
    values = json.loads(text)
    bodies = tuple(BodyFacts(**{**body, "size": tuple(body["size"])}) for body in values["bodies"])
    camera = Camera(**{key: _tuple(value) for key, value in values["camera"].items()})
    lights = tuple(Light(**{key: _tuple(value) for key, value in light.items()}) for light in values["lights"])
    return Description(values["test"], bodies, camera, lights, tuple(values["gravity"]))


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
