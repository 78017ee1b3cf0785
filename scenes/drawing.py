"""Draws a clip's scene until both its motion, read from a trajectory file, and its visibility pass the audit.

Corrected clips are seen at most 45 degrees wide, so that balls look round, and as close as possible.
"""

import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scenes.audit import audit_trajectory, problems
from scenes.audit.folder import legibility_faults
from scenes.audit.verdict import Verdict
from scenes.registry import SCENES, SceneKind
from scenes.scene import STEP, Camera, Profile, Scene, Vector
from scenes.trajectory import Trajectory

if TYPE_CHECKING:
    from scenes.legibility import Telltale
    from scenes.visibility import Sight


MOST_DRAWS = 20
LENGTH_DRAW = 27  # separates the draw of a length from the draws of the scene
SHORTEST = 200  # states: four seconds
AFTERWARDS = (0.9, 1.5)  # seconds from the last change in any answer to the end
MOST_CACHED = 128  # cached sights of about 20 KB each, and motions of about 100 KB


class ClipFailed(Exception):
    """Every draw of this clip was refused by the audit."""


@dataclass(frozen=True)
class Take:
    """One draw of a clip; `is_long`: ten seconds although nothing may happen at the end."""

    seed: int
    index: int
    profile: Profile
    is_long: bool = False
    redraw: int = 0

    def key(self, kind: SceneKind) -> list[int]:
        """Seed of the draw; equal for all answers of a test, so that only the answer differs."""
        return [self.seed, kind.number, self.index, *([self.redraw] if self.redraw else [])]


@dataclass(frozen=True)
class AcceptedDraw:
    """A draw that passed; `refused` has one sentence for each earlier draw that failed."""

    scene: Scene
    trajectory: Trajectory  # with seen shares
    verdict: Verdict
    first_knowable: int | None
    is_out_of_sight: bool | None
    refused: tuple[str, ...]
    segmentation_seconds: float
    legibility: dict[str, Any] = field(default_factory=dict)  # see `_legibility`


_sight_cache: "dict[tuple[str, int], Sight]" = {}  # cache: the same motion is viewed for each answer of a test


def _sight(trajectory: Trajectory, violation: int | None, look: "Callable[[], Sight]") -> "Sight":
    """The result of `look`, cached by motion and violation."""
    if violation is None:
        return look()
    key = (trajectory.digest(), violation)
    if key not in _sight_cache:
        if len(_sight_cache) >= MOST_CACHED:
            del _sight_cache[next(iter(_sight_cache))]  # the oldest
        _sight_cache[key] = look()
    return _sight_cache[key]


@lru_cache(maxsize=MOST_CACHED)
def _moved(kind: SceneKind, take: Take) -> tuple[Scene, Trajectory]:
    """The scene and ten seconds of its motion, cached because the clip and its siblings each need them."""
    from scenes.physics.mujoco_engine import simulate

    scene = _scene_of(kind, take)
    return scene, simulate(scene)


def _cut(kind: SceneKind, take: Take) -> tuple[Scene, Trajectory]:
    """The scene and its motion; corrected, it ends soon after the last change in any answer of the test."""
    scene, motion = _moved(kind, take)
    if take.profile != "corrected" or take.is_long:
        return scene, motion
    return scene, motion.until(_length(kind.test, take))


@lru_cache(maxsize=MOST_CACHED)
def _length(test: str, take: Take) -> int:
    """Number of states, the same for all answers of a test, so that it does not reveal the answer."""
    kinds = [kind for kind in SCENES.values() if kind.test == test]
    last = max(_moved(kind, take)[1].last_change for kind in kinds)
    afterwards = np.random.default_rng([*take.key(kinds[0]), LENGTH_DRAW]).uniform(*AFTERWARDS)
    return max(SHORTEST, last + round(afterwards / STEP))


def draw_scene(kind: SceneKind, seed: int, index: int, *, redraw: int = 0, profile: Profile = "corrected") -> Scene:
    """The scene of one clip; the answers of a test share their random draws, so that only the answer differs."""
    return _scene_of(kind, Take(seed, index, profile, redraw=redraw))


def _scene_of(kind: SceneKind, take: Take) -> Scene:
    scene = kind.draw(np.random.default_rng(take.key(kind)), kind.label, take.profile)
    return framed(scene) if take.profile == "corrected" else scene


def draw_motion(kind: SceneKind, seed: int, index: int, *, profile: Profile) -> Trajectory:
    """The motion of a clip's first draw, as long as the clip, without an audit."""
    return _cut(kind, Take(seed, index, profile))[1]


def draw_until_sound(
    kind: SceneKind, seed: int, index: int, profile: Profile, path: Path, *, is_long: bool = False
) -> AcceptedDraw:
    """Write the trajectory of the first draw that passes the audit to `path`; a refused draw never gets that name.

    Raises ClipFailed if no draw passes, which means that generator and audit disagree.
    """
    candidate = path.with_name(f".{path.stem}.{os.getpid()}.candidate.npz")
    refused: list[str] = []
    looking = 0.0
    try:
        for redraw in range(MOST_DRAWS):
            take = Take(seed, index, profile, is_long, redraw)
            scene, motion = _cut(kind, take)
            motion.save(candidate)
            draw, found = _judged(kind, scene, Trajectory.load(candidate), profile)
            looking += draw.segmentation_seconds
            found = found or _wrong_in_siblings(kind, take) or _illegible(kind, take)
            if not found:
                draw.trajectory.save(candidate)
                os.replace(candidate, path)
                legibility = _legibility(kind, take)
                return replace(draw, refused=tuple(refused), segmentation_seconds=looking, legibility=legibility)
            refused.append("; ".join(found))
    finally:
        candidate.unlink(missing_ok=True)
    raise ClipFailed(f"{kind.folder} {index:03}, seed {seed}: {MOST_DRAWS} draws failed the audit: {refused[-1]}")


@lru_cache(maxsize=MOST_CACHED)
def _legibility(kind: SceneKind, take: Take) -> dict[str, Any]:
    """Measures of legibility: the still share of a clip, and its twins' telltale or its named object's pixels."""
    from scenes.legibility import named_pixels, still_share

    motion = _cut(kind, take)[1]
    still = {"still": still_share(motion)}
    if kind.level == 1:
        return still | {"named_pixels": named_pixels(motion)}
    return still | {"telltale": asdict(_telltale(kind.test, take))}


def _illegible(kind: SceneKind, take: Take) -> list[str]:
    """Faults of legibility; only corrected clips are checked."""
    return legibility_faults(_legibility(kind, take)) if take.profile == "corrected" else []


@lru_cache(maxsize=MOST_CACHED)
def _telltale(test: str, take: Take) -> "Telltale":
    """The telltale of this draw of a Level-2 test, cached because each of the twins needs it."""
    from scenes.legibility import telltale

    plausible, implausible = (
        _cut(kind, take)[1]
        for label in ("plausible", "implausible")
        for kind in SCENES.values()
        if kind.test == test and kind.label == label
    )
    return telltale(plausible, implausible, audit_trajectory(implausible).violation_frame or 0)


def _wrong_in_siblings(kind: SceneKind, take: Take) -> list[str]:
    """Findings for this draw under the test's other answers.

    A draw is refused for all answers or for none: otherwise their cameras and speeds would differ and reveal the
    answer.
    """
    for sibling in SCENES.values():
        if sibling.test == kind.test and sibling.folder != kind.folder:
            scene, motion = _cut(sibling, take)
            found = _judged(sibling, scene, motion, take.profile, is_sibling=True)[1]
            if found:
                return [f"as {sibling.folder}: {what}" for what in found]
    return []


def _judged(
    kind: SceneKind, scene: Scene, trajectory: Trajectory, profile: Profile, *, is_sibling: bool = False
) -> tuple[AcceptedDraw, list[str]]:
    """The draw with its findings; the camera's view is rendered only if the motion passes, because rendering is slow.

    A sibling's view matters only if it contains a violation.
    """
    verdict = audit_trajectory(trajectory)
    found = problems(verdict, scene.label, test=kind.test, profile=profile)
    if found or (is_sibling and verdict.violation_frame is None):
        return AcceptedDraw(scene, trajectory, verdict, None, None, (), 0.0), found
    from scenes.visibility import observe

    started = time.perf_counter()
    sight = _sight(trajectory, verdict.violation_frame, lambda: observe(trajectory, verdict))
    seconds = time.perf_counter() - started
    seen = trajectory.changed(seen=sight.seen)
    draw = AcceptedDraw(scene, seen, verdict, sight.first_knowable, sight.is_out_of_sight, (), seconds)
    judged = replace(verdict, findings=(*verdict.findings, *sight.findings))
    return draw, problems(judged, scene.label, test=kind.test, profile=profile)


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
