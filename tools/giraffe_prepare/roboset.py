"""RoboSet (Teleoperation): three to five key frames of an activity's sub-tasks; the last is the target.

The paper's authors chose matching combinations of sub-tasks by hand and did not publish them. Ours are in a file
`combinations.json` beside the sub-tasks' videos:

```json
[{"activity": "Make Toast", "variants": ["001", "002"], "subtasks": [
    {"name": "Plunge Toaster", "says": "plunge the toaster", "folder": "plunge_toaster", "frames": [0, 40]},
    {"name": "Place Toast", "says": "put the toast on the plate", "folder": "place_toast", "frames": [-1]}]}]
```

`frames` are numbers from 0; negative ones count from the end. A sub-task's video is FOLDER/VARIANT.mp4.
"""

from pathlib import Path
from typing import Any

from benchmarks.errors import BadRelease
from tools.giraffe_prepare.frames import WantedFrame
from tools.giraffe_prepare.items import Draft, Found, field_of, read_json

COMBINATIONS = "combinations.json"
FEWEST, MOST = 3, 5  # key frames, including the target
FRAMES_A_TASK = (1, 2)


def read_roboset(root: Path, videos: Path | None) -> Found:
    """An item for each variant of each combination, in file order."""
    rows = read_json(root / COMBINATIONS, list)
    drafts = [
        _draft(number, row, variant, videos or root)
        for number, row in enumerate(rows, start=1)
        for variant in _variants(row, f"{COMBINATIONS}, combination {number}")
    ]
    return Found(tuple(drafts))


def _draft(number: int, row: Any, variant: str, videos: Path) -> Draft:
    where = f"{COMBINATIONS}, combination {number}"
    tasks = field_of(row, "subtasks", list, where)
    frames = [
        wanted
        for place, task in enumerate(tasks, start=1)
        for wanted in _frames(task, f"{where}, subtask {place}", videos, variant)
    ]
    if len(tasks) < 2 or not FEWEST <= len(frames) <= MOST:
        raise BadRelease(f"{where}: {len(tasks)} subtasks with {len(frames)} key frames; two or more, and 3 to 5")
    says = [field_of(task, "says", str, f"{where}, subtask {place}") for place, task in enumerate(tasks, start=1)]
    activity = field_of(row, "activity", str, where)
    last = len(field_of(tasks[-1], "frames", list, where))
    if last != 1:
        raise BadRelease(f"{where}: the last subtask has {last} key frames; the target is one")
    return Draft(
        id=f"roboset/{number:02}-{variant}",
        dataset="roboset",
        fields={
            "truth": f"The arm will {says[-1]}.",
            "actions": f"{activity}: " + " ".join(f"The arm did this: {say}." for say in says[:-1]),
        },
        images=tuple(frames[:-1]),
        following=frames[-1],
    )


def _variants(row: Any, where: str) -> list[str]:
    variants = field_of(row, "variants", list, where)
    if not variants or not all(isinstance(variant, str) and variant.isalnum() for variant in variants):
        raise BadRelease(f"{where}: variants must be a list of names of letters and digits")
    return list(dict.fromkeys(variants))


def _frames(task: Any, where: str, videos: Path, variant: str) -> list[WantedFrame]:
    folder, frames = field_of(task, "folder", str, where), field_of(task, "frames", list, where)
    if len(frames) not in FRAMES_A_TASK or not all(type(frame) is int for frame in frames):
        raise BadRelease(f"{where}: frames must be one or two whole numbers")
    if "/" in folder or folder in ("", ".", ".."):
        raise BadRelease(f"{where}: folder {folder!r} is no name of a folder")
    video = videos / folder / f"{variant}.mp4"
    return [WantedFrame(video, (_seconds(video, frame),)) for frame in frames]


def _seconds(video: Path, frame: int) -> float:
    """Time of this frame in seconds; 0 if the video is unreadable, which is reported when the picture is extracted."""
    if not video.is_file():
        return 0.0
    from benchmarks.encoding.probe import MEDIA_ERRORS, probe

    try:
        facts = probe(video)
    except MEDIA_ERRORS:
        return 0.0
    place = frame if frame >= 0 else facts.frames + frame
    return max(0, min(place, facts.frames - 1)) / facts.fps
