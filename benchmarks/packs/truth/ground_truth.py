"""Ground truth of generated clips: the paths of bodies to draw over the picture, and downloadable files."""

import io
import itertools
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.disclosure.doors import is_open_to
from benchmarks.models import Clip, Item, RenditionKind
from benchmarks.storage.store import store
from scenes.audit.auditing import telltales
from scenes.audit.geometry import in_picture
from scenes.trajectory import Trajectory

UNREADABLE = (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile)
SEEN = 0.1  # a body counts as hidden if less than this share of it is visible
MOVED = 0.02  # metres
STEP = 3  # states between two points of a path
FILE_DATE = (2020, 1, 1, 0, 0, 0)  # of all files in an archive, since true dates would reveal the order of generation


@dataclass(frozen=True)
class Path2D:
    """One body's path in the picture, in visible or hidden pieces; `kind` is the number of its colour."""

    name: str
    kind: int
    pieces: tuple[tuple[str, bool], ...]  # points in SVG notation, whether hidden
    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True)
class TruthMoment:
    seconds: float
    places: tuple[tuple[float, float], ...]  # positions of the telltale bodies, in pixels


@dataclass(frozen=True)
class Legibility:
    """The time, the number of 320 x 240 pixels and the contrast in which a clip and its twin differ."""

    seconds: float
    frames: int
    pixels: int
    contrast: float
    at_end: bool
    still: float  # share of the clip in per cent


@dataclass(frozen=True)
class Truth:
    """The content of the overlay; sizes in pixels of the clip."""

    width: int
    height: int
    paths: tuple[Path2D, ...]
    violation: TruthMoment | None
    known: TruthMoment | None
    what: str
    is_out_of_sight: bool
    legibility: "Legibility | None" = None


def has_truth(item: Item, media_policy: str) -> bool:
    """Whether the ground truth of this item's clip is public: the clip is generated, served and not sealed."""
    clip = item.clip
    if clip is None or not clip.trajectory or clip.problem or media_policy != "public":
        return False
    original = clip.rendition(RenditionKind.ORIGINAL)
    return original is not None and is_open_to(original)


def truth_of(clip: Clip | None) -> Truth | None:
    """Paths and moments of a clip; None if its trajectory can't be read."""
    if clip is None:
        return None
    try:
        trajectory = Trajectory.load(_stored(clip))
    except UNREADABLE:
        return None
    facts = clip.facts
    violation, known = facts.get("first_violation") or {}, facts.get("first_knowable") or {}
    columns = telltales(trajectory, violation["state"]) if violation else ()
    return Truth(
        width=clip.width,
        height=clip.height,
        paths=_paths(trajectory, columns, clip),
        violation=_moment(trajectory, columns, violation, clip),
        known=_moment(trajectory, columns, known, clip),
        what=violation.get("what", ""),
        is_out_of_sight=bool(violation.get("out_of_sight")),
        legibility=_legibility(facts),
    )


def _legibility(facts: dict[str, Any]) -> Legibility | None:
    """The measurements made with the clip; None where there are none, as for Level 1."""
    measured: Any = facts.get("legibility")
    try:
        mark = measured["telltale"]
        seconds, frames, pixels = float(mark["seconds"]), int(mark["frames"]), int(mark["pixels"])
        return Legibility(
            seconds, frames, pixels, float(mark["contrast"]), bool(mark["at_end"]), 100 * float(measured["still"])
        )
    except (KeyError, TypeError, ValueError):
        return None


def archive_of(clip: Clip) -> bytes:
    """Trajectory and scene in one zip file, under names that reveal nothing."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(f"trajectory{_suffix(clip)}", FILE_DATE), _stored(clip).read_bytes())
        archive.writestr(zipfile.ZipInfo("scene.json", FILE_DATE), json.dumps(scene_facts(clip), indent=1))
    return held.getvalue()


def scene_facts(clip: Clip) -> dict[str, Any]:
    """The facts of the scene, without its rejected attempts."""
    return {name: value for name, value in clip.facts.items() if name != "refused"}


def write_truth(clip: Clip, folder: Path) -> bool:
    """Write trajectory and scene of a clip under its opaque name; False if it has no trajectory."""
    original = clip.rendition(RenditionKind.ORIGINAL)
    if original is None or not clip.trajectory:
        return False
    stem = folder / Path(original.name).stem
    motion = _suffix(clip)
    stem.with_suffix(".run.json" if motion == ".json" else motion).write_bytes(_stored(clip).read_bytes())
    stem.with_suffix(".json").write_text(json.dumps(scene_facts(clip), indent=1), encoding="utf-8")
    return True


def _suffix(clip: Clip) -> str:
    """The suffix by content: CRAFT's runs are JSON, whatever the stored name's suffix."""
    with _stored(clip).open("rb") as file:
        return ".json" if file.read(1) == b"{" else ".npz"


def _stored(clip: Clip) -> Path:
    return store().local(clip.trajectory)


# --- from metres to pixels ---


def _paths(trajectory: Trajectory, telling: tuple[int, ...], clip: Clip) -> tuple[Path2D, ...]:
    """The path of each body that moves or is a telltale."""
    position = trajectory.position
    bodies = trajectory.description.bodies
    moving = [
        column for column in range(len(bodies)) if np.abs(position[:, column] - position[0, column]).max() > MOVED
    ]
    numbers = sorted({*moving, *telling})
    return tuple(_path(trajectory, column, kind % 4, clip) for kind, column in enumerate(numbers))


def _path(trajectory: Trajectory, column: int, kind: int, clip: Clip) -> Path2D:
    places = _pixels(trajectory, column, clip)
    hidden = ~trajectory.visible[:, column]
    if trajectory.seen is not None:
        hidden = trajectory.seen[:, column] < SEEN
    ends = tuple((float(x), float(y)) for x, y in places[[0, -1]])
    return Path2D(trajectory.description.bodies[column].name, kind, _pieces(places, hidden), ends[0], ends[1])


def _pieces(places: NDArray[np.float64], hidden: NDArray[np.bool_]) -> tuple[tuple[str, bool], ...]:
    turns = [0, *(np.flatnonzero(np.diff(hidden)) + 1).tolist(), len(places) - 1]
    pieces = []
    for start, end in itertools.pairwise(turns):
        states = [*range(start, end, STEP), end]
        points = [f"{x:.1f},{y:.1f}" for x, y in places[states]]
        points = [point for number, point in enumerate(points) if not number or point != points[number - 1]]
        if len(points) > 1:
            pieces.append((" ".join(points), bool(hidden[start])))
    return tuple(pieces)


def _pixels(trajectory: Trajectory, column: int, clip: Clip) -> NDArray[np.float64]:
    """Positions of a body's centre in the picture, shape (states, 2): x to the right and y down, in pixels."""
    seen = in_picture(trajectory.description.camera, trajectory.position[:, column].astype(float))
    half = clip.height / 2
    return np.stack([clip.width / 2 + seen[:, 0] * half, half - seen[:, 1] * half], axis=1)


def _moment(trajectory: Trajectory, columns: tuple[int, ...], when: dict[str, Any], clip: Clip) -> TruthMoment | None:
    if not when:
        return None
    places = [_pixels(trajectory, column, clip)[when["state"]] for column in columns]
    return TruthMoment(when["seconds"], tuple((float(x), float(y)) for x, y in places))
