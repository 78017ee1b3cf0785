"""Audits a generated set from its files alone: does the sound match the event, and is every label true?

It imports the table of materials, which decides the answers, but nothing that makes things, clips or questions.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import av
import numpy as np
from numpy.typing import NDArray

from scenes.audit.geometry import first_true, in_picture, step_lengths
from scenes.media_files import opened
from scenes.tapped.sounds.loudness import BROADCAST, TooShort, loudness, true_peak
from scenes.tapped.things import MATERIALS, AcousticMaterial
from scenes.trajectory import BodyFacts, Trajectory

IN_STEP = 0.0205  # seconds between picture and sound: a recorded state and half a millisecond
EVEN = 1.0  # LU on either side of the loudness
LOUDEST = -1.0  # dBTP
LOUD, APART = 0.2, 0.2  # share of the loudest sample; seconds of quiet before a new sound
FLOATS = 950.0  # kg/m³
BOX_IN = (1280, 720)
SPLITS = ("train", "val", "test")
# Of objects of equal volume, in squares of the edge.
LEVEL_TOP = {"plate": 2.19, "brick": 1.69, "book": 2.82, "tile": 3.25}
ROLLS = {"ball": 2.0, "can": 1.0, "bottle": 1.0}
ROUND_TOLERANCE = 1e-9
MOVES = 1e-3  # metres from one recorded state to the next
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Object:
    """One object as its files describe it; `body` is from the trajectory."""

    key: str
    told: Mapping[str, Any]  # from json/tapped.json
    listed: Mapping[str, Any]  # from json/objects.json
    body: BodyFacts

    @property
    def material(self) -> AcousticMaterial:
        return MATERIALS[self.told["material"]]


def _reach(edges: list[float]) -> float:
    """Its length, and the excess of length over width."""
    return edges[2] ** 2 / edges[1]


# By question: the answer is the object with the larger value.
TRUTHS: dict[str, Callable[[Object], float]] = {
    "question0000": lambda one: one.body.mass,
    "question0001": lambda one: -one.body.mass,
    "question0002": lambda one: one.material.brittle,
    "question0003": lambda one: float(one.material.density < FLOATS),
    "question0004": lambda one: one.material.absorbs,
    "question0005": lambda one: one.material.soft,
    "question0006": lambda one: one.material.conductivity,
    "question0007": lambda one: one.material.stiffness**0.25 / one.material.loss**0.5,
    "question0008": lambda one: one.material.burns,
    "question0009": lambda one: ROLLS.get(one.told["shape"], 0.0),
    "question0010": lambda one: LEVEL_TOP.get(one.told["shape"], 0.0),
    "question0011": lambda one: -min(one.body.size),
    "question0012": lambda one: _reach(sorted(one.body.size)),
}
OF_SHAPE = ("question0009", "question0010", "question0011", "question0012")
HEARD_BY_MOTION = ("dropped", "rolled")  # actions whose bouncing or rolling makes a shape audible


def audit_folder(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield every object with its faults; a pair's faults belong to its first object."""
    description, listed = (_read(root / "json" / name) for name in ("tapped.json", "objects.json"))
    objects, found = {}, {}
    for key in sorted(
        {*description.get("objects", {}), *listed, *(path.stem for path in (root / "videos").glob("*.mp4"))}
    ):
        objects[key], found[key] = _object(root, key, description.get("objects", {}), listed)
    for key, what in _label_findings(root, {key: one for key, one in objects.items() if one}):
        found.setdefault(key, []).append(what)
    yield from found.items()


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _object(
    root: Path, key: str, record: Mapping[str, Any], listed: Mapping[str, Any]
) -> tuple[Object | None, list[str]]:
    """The object, if enough of its files exist, and the faults of its files."""
    video, motion = root / "videos" / f"{key}.mp4", root / "trajectories" / f"{key}.npz"
    missing = [path.name for path in (video, motion, motion.with_suffix(".json")) if not path.is_file()]
    if missing or key not in record or key not in listed:
        absent = [
            f"{key} in {name}" for name, of in (("tapped.json", record), ("objects.json", listed)) if key not in of
        ]
        return None, [f"missing: {', '.join([*missing, *absent])}"]
    try:
        trajectory, facts = Trajectory.load(motion), _read(motion.with_suffix(".json"))
        body = next(body for body in trajectory.description.bodies if body.role == "object")
        one = Object(key, record[key], listed[key], body)
        return one, [
            *_facts_findings(one, facts, trajectory),
            *_box_findings(one, facts, trajectory),
            *_sound_findings(video, one, trajectory),
        ]
    except (ValueError, KeyError, TypeError, OSError, EOFError, StopIteration, BadZipFile, av.FFmpegError) as error:
        return None, [f"unreadable: {error}"]


def _facts_findings(one: Object, facts: Mapping[str, Any], trajectory: Trajectory) -> Iterator[str]:
    if facts.get("digest") != trajectory.digest():
        yield "the trajectory is not the one that the clip was made from"
    if facts.get("thing") != one.told:
        yield "tapped.json tells another object than the clip was made of"
    if one.listed.get("materials") != [one.told["material"]]:
        yield f"objects.json says {one.listed.get('materials')}, the object is of {one.told['material']}"
    weight = one.material.density * one.told["edge"] ** 3
    if abs(one.body.mass - weight) > 1e-6 * weight:
        yield f"weighs {one.body.mass:.4g} kg, and {weight:.4g} kg by its material and size"


def _box_findings(one: Object, facts: Mapping[str, Any], trajectory: Trajectory) -> Iterator[str]:
    """The box must be in the frame, and contain the object's centre on the middle frame."""
    left, top, right, bottom = one.listed["bounding_box"]
    if not (0 <= left < right <= BOX_IN[0] and 0 <= top < bottom <= BOX_IN[1]):
        yield f"the box {one.listed['bounding_box']} is not inside of {BOX_IN[0]} by {BOX_IN[1]}"
        return
    fps = float(facts["fps"])
    frames = round(len(trajectory) * float(trajectory.time[1] - trajectory.time[0]) * fps)
    state = int(np.searchsorted(trajectory.time, frames // 2 / fps - ROUND_TOLERANCE))
    place = trajectory.position[state, trajectory.names[one.body.name]]
    across, up, _ = in_picture(trajectory.description.camera, place[None])[0]
    x, y = BOX_IN[0] / 2 + across * BOX_IN[1] / 2, BOX_IN[1] / 2 - up * BOX_IN[1] / 2
    if not (left <= x <= right and top <= y <= bottom):
        yield f"the middle of the object is at ({x:.0f}, {y:.0f}) on the middle frame, outside of its box"


def _sound_findings(video: Path, one: Object, trajectory: Trajectory) -> Iterator[str]:
    try:
        samples, rate = sound_samples(video)
    except av.FFmpegError as error:
        yield f"unreadable clip: {error.strerror}"
        return
    if not len(samples):
        yield "the clip has no sound"
        return
    if np.abs(samples).max() >= 1.0:
        yield "the sound reaches full scale"
    try:
        level = loudness(samples, rate)
    except TooShort as error:
        yield str(error)
        return
    if abs(level - BROADCAST) > EVEN:
        yield f"{level:.2f} LUFS, and {BROADCAST:.0f} within {EVEN} is wanted"
    if (peak := true_peak(samples, rate)) > LOUDEST:
        yield f"a true peak of {peak:.1f} dB, and at most {LOUDEST} is wanted"
    seen, starts = struck_at(one.told["action"], trajectory, one.body.name), beginnings(samples, rate)
    onset = min(starts, key=lambda start: abs(start - seen), default=None)
    if onset is None or abs(onset - seen) > IN_STEP:
        difference = "nothing" if onset is None else f"{1000 * (onset - seen):+.0f} ms"
        yield f"seen at {seen:.2f} s and heard {difference} from it"


def sound_samples(video: Path) -> tuple[Floats, int]:
    """Samples of the first sound stream at their times in the clip, and their rate in Hz; empty without sound."""
    with opened(video) as read:
        if not read.streams.audio:
            return np.zeros(0), 0
        rate, whole, plain = read.streams.audio[0].rate, np.zeros(0), av.AudioResampler(format="fltp")
        for frame in (one for decoded in read.decode(audio=0) for one in plain.resample(decoded)):
            piece = frame.to_ndarray().mean(0)
            start = round((frame.time or 0.0) * rate)
            whole = np.append(whole, np.zeros(max(0, start + len(piece) - len(whole))))
            whole[max(0, start) : start + len(piece)] = piece[max(0, -start) :]
    return whole, rate


def beginnings(samples: Floats, rate: int) -> list[float]:
    """Seconds at which the sound becomes loud after near silence."""
    level = np.abs(samples)
    loud = np.flatnonzero(level > LOUD * level.max()) / rate
    return [float(at) for number, at in enumerate(loud) if number == 0 or at - loud[number - 1] > APART]


def struck_at(action: str, trajectory: Trajectory, name: str) -> float:
    """The second, to within one recorded state, at which the object is visibly struck or, if pushed, starts to move."""
    column = trajectory.names[name]
    if action == "tapped":
        tip = min(trajectory.with_role("stick"), key=lambda stick: trajectory.description.bodies[stick].size[2])
        height = trajectory.position[:, tip, 2].astype(float)
        state = first_true(height < height.min() + 1e-5)
    elif action == "dropped":
        height = trajectory.position[:, column, 2].astype(float)
        bend = np.diff(height, 2)  # below 0 during free fall
        fallen = first_true(bend < 0) or 0
        hit = first_true(bend[fallen:] > 0)
        state = None if hit is None else fallen + hit + 1
    else:
        state = first_true(step_lengths(trajectory, column) > MOVES)
    if state is None:
        raise ValueError(f"it is never {action}")
    return float(trajectory.time[state])


# --- labels ---


def _label_findings(root: Path, objects: Mapping[str, Object]) -> Iterator[tuple[str, str]]:
    home: dict[str, str] = {}
    for split in SPLITS:
        for name in (f"{split}_data", f"{split}_data_mat"):
            for pair, questions in _read(root / "json" / f"{name}.json").items():
                first, second = pair.split("_")
                for key in (first, second):
                    if home.setdefault(key, split) != split:
                        yield first, f"{key} is in {home[key]} and in {split}"
                if first in objects and second in objects:
                    both = objects[first], objects[second]
                    yield from (
                        (first, f"{name}, {pair}, {question}: {what}")
                        for question, point in questions.items()
                        if (what := _mistake(question, point, *both))
                    )


def _mistake(question: str, point: Mapping[str, Any], first: Object, second: Object) -> str:
    """The fault of this datapoint, or ''."""
    answer, other = (second, first) if point["label"] else (first, second)
    if channel := _wrong_channel(question, point["channel"], first, second):
        return channel
    if question in TRUTHS:
        truth = TRUTHS[question]
        return "" if truth(answer) > truth(other) else f"label {point['label']} is not true of the objects"
    named = [name for name in MATERIALS if re.search(rf"\b{name}\b", point["text"])]
    if named != [answer.told["material"]] or named == [other.told["material"]]:
        return f"asks for {' and '.join(named) or 'no material'}, which label {point['label']} does not single out"
    return ""


def _wrong_channel(question: str, channel: str, first: Object, second: Object) -> str:
    """Why this channel does not decide the question, or ''."""
    if question in OF_SHAPE:
        moved = first.told["action"] in HEARD_BY_MOTION
        found = "" if first.told["shape"] == second.told["shape"] or moved else "sight"
    elif first.told["material"] == second.told["material"]:
        found = ""
    else:
        found = "sound" if first.told["is_painted"] and second.told["is_painted"] else "both"
    return "" if channel == found else f"decided by {found or 'nothing'}, and {channel} is said"
