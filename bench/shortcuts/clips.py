"""Clips as classifiers see them: small, with few frames a second, from the site's own generator.

A stack of N clips is one NumPy archive: `implausible` (N), `pair` (N), `redraws` (N), `size` (N; bytes of the file),
`length` (N, 2; frames and seconds), `telltale` (N, 6; as the ground truth tells it), `first` and `last` (N, 72, 96, 3),
`motion` (N, numbers), `rest` (N, 29, 29, 3), `parameters` (N JSON texts). Clips are drawn in look `plain`. The first
and last frame are rendered again, since an encoder's bits for a frame depend on what follows.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from bench.shortcuts.motion import motion_numbers
from bench.shortcuts.studies import SEED, Study, code_digest, level2_tests
from bench.shortcuts.track import rest_picture, track_numbers, track_of
from scenes.clip import ClipReport, make_clip
from scenes.rendering import studio
from scenes.rendering.mujoco_renderer import RenderScene
from scenes.trajectory import Trajectory

SIZE, FPS = (96, 72), 5
STACK = 32  # pairs that are generated and saved at once
TELLTALE = ("frames", "seconds", "pixels", "contrast", "peak", "at_end")
DRAFT = {"samples": 0, "shadow_size": 256}  # enough quality at 72 lines

Clip = dict[str, Any]
Stack = dict[str, NDArray]


def stacks(study: Study, out: Path) -> Iterator[Stack]:
    """Yield the study's clips in stacks, generating those that are not stored yet."""
    for start in range(0, study.clips, STACK):
        indices = range(start, min(start + STACK, study.clips))
        path = study.path(out, "") / code_digest(study.test) / f"{indices.start:03}-{indices.stop:03}.npz"
        if not path.is_file():
            made = _stack(study, indices)
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".tmp")
            with temporary.open("wb") as file:
                np.savez(file, allow_pickle=False, **made)
            temporary.replace(path)
        with np.load(path, allow_pickle=False) as archive:
            yield dict(archive)


def joined(study: Study, out: Path, *names: str) -> Stack:
    """The named arrays over all clips of the study."""
    parts = [{name: stack[name] for name in names} for stack in stacks(study, out)]
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _stack(study: Study, indices: range) -> Stack:
    studio.use_quality(**DRAFT)
    clips = [
        watched(folder, index, study, is_implausible=bool(label))
        for label, folder in enumerate(level2_tests()[study.test].folders)
        for index in indices
    ]
    return {name: np.array([clip[name] for clip in clips]) for name in clips[0]}


def watched(folder: str, index: int, study: Study, *, is_implausible: bool) -> Clip:
    """Generate one clip and return its arrays and facts."""
    with tempfile.TemporaryDirectory() as name:
        report = make_clip(folder, SEED, index, Path(name), profile=study.profile, size=SIZE, fps=FPS, look="plain")
        facts_path = _beside(report, name, ".json")
        facts = json.loads(facts_path.read_text())
        trajectory = Trajectory.load(facts_path.with_suffix(".npz"))
        with av.open(str(report.path)) as video:
            stream = video.streams.video[0]
            seconds = float((stream.duration or 0) * (stream.time_base or 0))
            frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
        size = report.path.stat().st_size
    stage, track = RenderScene(trajectory, SIZE), track_of(np.array(frames))
    return {
        "implausible": is_implausible,
        "pair": index,
        "redraws": report.redraws,
        "size": size,
        "length": (len(frames), round(seconds, 6)),
        "telltale": [float(facts["legibility"]["telltale"][name]) for name in TELLTALE],
        "first": stage.draw(0).copy(),
        "last": stage.draw(len(trajectory) - 1).copy(),
        "motion": np.concatenate([motion_numbers(np.array(frames)), track_numbers(track)]),
        "rest": rest_picture(track),
        "parameters": json.dumps(scene_parameters(facts, trajectory)),
    }


def _beside(report: ClipReport, out: str, ending: str) -> Path:
    video = report.path.relative_to(Path(out) / "videos")
    return Path(out) / "trajectories" / video.with_suffix(ending)


def scene_parameters(facts: dict[str, Any], trajectory: Trajectory) -> dict[str, float | str]:
    """The generator's parameters, the camera, the lights, and size, colour and material of every body visible at the
    start, as a flat dict of numbers and names."""
    found: dict[str, Any] = {"parameters": facts["parameters"], "camera": facts["camera"]}
    found["lights"] = {
        str(number): {"direction": light.direction, "colour": light.colour}
        for number, light in enumerate(trajectory.description.lights)
    }
    found["bodies"] = {
        body.name: {
            "size": body.size,
            "material": body.material,
            "colour": [round(float(part), 6) for part in trajectory.colour[0, column]],
        }
        for column, body in enumerate(trajectory.description.bodies)
        if trajectory.visible[0, column]
    }
    return dict(_flat("", found))


def _flat(path: str, value: Any) -> Iterator[tuple[str, float | str]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _flat(f"{path}.{name}" if path else str(name), part)
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _flat(f"{path}.{number}", part)
    else:
        yield path, value if isinstance(value, str) else float(value)
