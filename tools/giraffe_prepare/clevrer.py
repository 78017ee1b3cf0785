"""CLEVRER: five frames, one per second; the label says which objects collide in the following two seconds.

The annotations end with the video; only the predictive questions say what happens afterwards. We infer that choices
marked `correct` are the collisions of the next two seconds and that those marked `wrong` don't happen. The wording of
the label is ours, too.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.errors import BadRelease
from tools.giraffe_prepare.frames import WantedFrame
from tools.giraffe_prepare.items import Draft, Found, Problem, field_of, read_json, video_of

FPS, FRAMES = 25, (24, 49, 74, 99, 124)  # the last frame of each second, from 0
LAST = FRAMES[-1]
COLLIDES = re.compile(r"\bcollides?\b")


def read_clevrer(root: Path, videos: Path | None) -> Found:
    """Items of every scene with an answered predictive question, in scene order."""
    questions = sorted([*root.glob("train.json"), *root.glob("validation.json"), *root.glob("test.json")])
    if not questions:
        raise BadRelease(f"{root}: no questions here; train.json or validation.json holds them")
    annotations = {path.stem: path for path in sorted(root.rglob("annotation_*.json"))}
    problems: list[Problem] = []
    drafts = [
        draft
        for path in questions
        for number, scene in enumerate(read_json(path, list), start=1)
        for draft in _drafts(scene, f"{path.name}, scene {number}", annotations, videos, problems)
    ]
    return Found(tuple(drafts), tuple(problems))


def _drafts(
    scene: Any, where: str, annotations: dict[str, Path], videos: Path | None, problems: list[Problem]
) -> Iterator[Draft]:
    """Yields the scene's item, or nothing and adds the reason to `problems`."""
    index, name = field_of(scene, "scene_index", int, where), field_of(scene, "video_filename", str, where)
    events = list(_events(field_of(scene, "questions", list, where), where))
    record = annotations.get(f"annotation_{index:05}")
    if not events:
        problems.append((name, "has no predictive question with answers: what happens next is not known"))
        return
    if record is None:
        problems.append((name, f"annotation_{index:05}.json is missing"))
        return
    attributes = _attributes(read_json(record, dict), record.name)
    if not attributes:
        problems.append((name, f"{record.name}: nothing is seen in frame {LAST}"))
        return
    video = video_of(videos, name)
    yield Draft(
        id=f"clevrer/{index:05}",
        dataset="clevrer",
        fields={"truth": " ".join(events), "attributes": "\n".join(attributes)},
        images=tuple(WantedFrame(video, (frame / FPS,)) for frame in FRAMES),
        video=video,
        until=(LAST + 1) / FPS,
    )


def _events(questions: list[Any], where: str) -> Iterator[str]:
    """Yield a sentence per choice: what will or won't happen; nothing if answers are withheld (the test split)."""
    for question in questions:
        if field_of(question, "question_type", str, where) != "predictive":
            continue
        for choice in field_of(question, "choices", list, where):
            sentence = field_of(choice, "choice", str, where).strip().rstrip(".")
            answer = choice.get("answer")
            if answer not in ("correct", "wrong", None):
                raise BadRelease(f"{where}: the answer of a choice is {answer!r}; it must be correct or wrong")
            if answer and sentence:
                happens = "will collide" if answer == "correct" else "will not collide"
                yield f"{COLLIDES.sub(happens, sentence, count=1)} in the next two seconds."


def _attributes(record: Any, where: str) -> list[str]:
    """Appearance, position and velocity of the objects visible in the fifth picture."""
    known = {
        field_of(one, "object_id", int, where): " ".join(
            field_of(one, name, str, where) for name in ("color", "material", "shape")
        )
        for one in field_of(record, "object_property", list, where)
    }
    steps = field_of(record, "motion_trajectory", list, where)
    last = next((step for step in steps if field_of(step, "frame_id", int, where) == LAST), None)
    seen = field_of(last, "objects", list, where) if last else []
    attributes = []
    for one in seen:
        name = known.get(field_of(one, "object_id", int, where))
        if name is None:
            raise BadRelease(f"{where}: frame {LAST} has an object {one['object_id']}, which has no object_property")
        if one.get("inside_camera_view", True):
            place, speed = (_vector(one, part, where) for part in ("location", "velocity"))
            attributes.append(f"{name}: coordinates {place}, movement speed {speed}")
    return attributes


def _vector(row: Any, name: str, where: str) -> str:
    values = field_of(row, name, list, where)
    if len(values) != 3 or not all(isinstance(value, (int, float)) for value in values):
        raise BadRelease(f"{where}: {name} must be three numbers")
    return f"({', '.join(f'{value:.2f}' for value in values)})"
