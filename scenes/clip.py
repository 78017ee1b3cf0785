"""Makes one clip from (scene, seed, index): draws, simulates, audits, views and renders it. Audits folders of clips.

Errors:
NoSuchScene, UnknownProfile, UnknownLook    the caller's mistake; ValueErrors, as is the renderer's UnusableVideoFormat
ClipFailed                                  no draw passed its audit: the generator and the audit disagree
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scenes.audit import audit_folder
from scenes.drawing import AcceptedDraw, ClipFailed, draw_scene, draw_until_sound
from scenes.registry import SCENES, SceneKind
from scenes.scene import LOOK, LOOKS, PROFILES, Look, Profile
from scenes.whole_files import facts_made_with, whole

__all__ = ["ClipFailed", "ClipReport", "NoSuchScene", "UnknownProfile", "audit_folder", "draw_scene", "make_clip"]


class NoSuchScene(ValueError):
    """No scene has this name."""


class UnknownProfile(ValueError):
    """No profile has this name."""


class UnknownLook(ValueError):
    """No look has this name."""


@dataclass(frozen=True)
class ClipReport:
    """The work for one clip; `was_kept` is true if the finished clip existed already."""

    path: Path
    label: str
    rendered: int = 0  # frames drawn
    reused: int = 0  # frames equal to the one before
    redraws: int = 0
    seconds: float = 0.0
    segmentation_seconds: float = 0.0
    was_kept: bool = False


@dataclass(frozen=True)
class ClipFiles:
    """Paths of one clip's files; the facts are written last, so that they mark a finished clip."""

    video: Path
    text: Path
    trajectory: Path
    facts: Path

    @classmethod
    def of(cls, kind: SceneKind, index: int, out: Path) -> "ClipFiles":
        folder, name = Path(f"level{kind.level}") / kind.folder, f"{index:03}"
        video, motion = out / "videos" / folder / name, out / "trajectories" / folder / name
        return cls(
            video.with_suffix(".mp4"),
            video.with_suffix(".txt"),
            motion.with_suffix(".npz"),
            motion.with_suffix(".json"),
        )


def make_clip(
    scene: str,
    seed: int,
    index: int,
    out: Path,
    *,
    profile: Profile = "corrected",
    size: tuple[int, int] = (640, 480),
    fps: int = 50,
    is_long: bool = False,
    look: Look = LOOK,
) -> ClipReport:
    """Write clip `index` of this scene in the official layout under `out`; a finished clip is kept.

    `is_long` keeps ten seconds; `look` names their look.
    """
    # Imports the encoder and OpenGL, so only when a clip is made.
    from scenes.rendering.video import states_a_frame

    kind = _find_scene(scene, profile)
    if look not in LOOKS:
        raise UnknownLook(f"no look {look!r}; there are {', '.join(LOOKS)}")
    states_a_frame(size, fps)
    files = ClipFiles.of(kind, index, Path(out))
    wanted = {"scene": scene, "seed": seed, "index": index, "profile": profile, "size": list(size), "fps": fps}
    wanted |= {"is_long": is_long, "look": look}
    if finished := _finished(files, wanted):
        return ClipReport(files.video, finished["label"], was_kept=True)
    return _make_anew(kind, files, wanted, look)


def _make_anew(kind: SceneKind, files: ClipFiles, wanted: dict[str, Any], look: Look) -> ClipReport:
    from scenes.rendering.video import render

    started = time.perf_counter()
    for path in (files.video, files.trajectory):
        path.parent.mkdir(parents=True, exist_ok=True)
    files.facts.unlink(missing_ok=True)
    seed, index, profile, is_long = (wanted[name] for name in ("seed", "index", "profile", "is_long"))
    draw = draw_until_sound(kind, seed, index, profile, files.trajectory, is_long=is_long)
    width, height = wanted["size"]
    rendering = render(draw.trajectory, files.video, size=(width, height), fps=wanted["fps"], look=look)
    if not kind.label:
        _write(files.text, f"{draw.scene.label},")
    _write(files.facts, json.dumps(wanted | _facts(kind, draw), indent=1))
    return ClipReport(
        files.video,
        draw.scene.label,
        rendering.rendered,
        rendering.reused,
        len(draw.refused),
        time.perf_counter() - started,
        draw.segmentation_seconds,
    )


def _find_scene(scene: str, profile: str) -> SceneKind:
    if scene not in SCENES:
        raise NoSuchScene(f"no scene {scene!r}; there are {', '.join(SCENES)}")
    if profile not in PROFILES:
        raise UnknownProfile(f"no profile {profile!r}; there are {' and '.join(PROFILES)}")
    return SCENES[scene]


def _finished(files: ClipFiles, wanted: dict[str, Any]) -> dict[str, Any] | None:
    """The facts of the clip if all its files exist and it was made with the wanted settings, else None."""
    is_whole = files.video.is_file() and files.trajectory.is_file()
    return facts_made_with(files.facts, wanted) if is_whole else None


def _facts(kind: SceneKind, draw: AcceptedDraw) -> dict[str, Any]:
    verdict, known = draw.verdict, draw.first_knowable
    return {
        "level": kind.level,
        "test": kind.test,
        "label": draw.scene.label,
        "audited_label": verdict.label,  # differs from the label only if the faithful profile mislabels
        "states": len(draw.trajectory),
        "first_violation": _moment(draw, verdict.violation_frame, what=verdict.what, out_of_sight=draw.is_out_of_sight),
        "first_knowable": _moment(draw, known),
        "legibility": draw.legibility,
        "redraws": len(draw.refused),
        "refused": draw.refused,
        "parameters": draw.scene.parameters,
        "camera": asdict(draw.scene.camera),
        "digest": draw.trajectory.digest(),
    }


def _moment(draw: AcceptedDraw, state: int | None, **more: Any) -> dict[str, Any] | None:
    if state is None:
        return None
    return {"state": state, "seconds": round(float(draw.trajectory.time[state]), 3), **more}


def _write(path: Path, text: str) -> None:
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
