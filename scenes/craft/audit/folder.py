"""Audits a release that was made here, from its files alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scenes.craft.audit.answering import Contradiction, answer_again
from scenes.craft.audit.wording import NotUnderstood
from scenes.craft.records import BadRecord, case_from
from scenes.craft.world.run import END, START, STEPS, Case, SimulatedRun

QUESTIONS = "dataset_minimal.json"
FRAMES, RATE = 600, 60
LATEST_BEGIN = STEPS - 22  # a touch that began later could not yet be distinguished from a collision


def audit_folder(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield every video that has questions, as `sid_14/006512`, with its faults, ideally none."""
    by_video: dict[str, list[dict[str, Any]]] = {}
    try:
        for record in json.loads((root / QUESTIONS).read_text(encoding="utf-8")):
            by_video.setdefault(record["video_file_path"], []).append(record)
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield QUESTIONS, [f"unreadable: {error}"]
        return
    for path, questions in by_video.items():
        video = root / path
        yield f"{video.parent.name}/{video.stem}", list(_findings(root, video, questions))


def _findings(root: Path, video: Path, questions: list[dict[str, Any]]) -> Iterator[str]:
    record = root / "intermediates" / video.parent.name / f"{video.stem}.json"
    for path in (video, record):
        if not path.is_file():
            yield f"missing: {path.name}"
            return
    try:
        case = case_from(json.loads(record.read_text(encoding="utf-8")))
    except (ValueError, BadRecord) as error:
        yield f"unreadable: {error}"
        return
    yield from _of_clip(video)
    yield from _of_runs(case)
    for question in questions:
        yield from _of_question(question, case)


def _of_clip(video: Path) -> Iterator[str]:
    import av

    from scenes.media_files import opened

    try:
        with opened(video) as container:
            stream = container.streams.video[0]
            seconds = float((stream.duration or 0) * (stream.time_base or 0))
    except (av.FFmpegError, IndexError) as error:
        yield f"unreadable clip: {error}"
        return
    if abs(seconds - FRAMES / RATE) > 1 / RATE:
        yield f"the clip lasts {seconds:.2f} s"


def _of_runs(case: Case) -> Iterator[str]:
    """Faults of the runs that do not depend on the questions."""
    free = {thing.uid for thing in case.original.dynamic}
    if set(case.without) != free:
        yield "not one variation for each thing that can move"
    for name, run, gone in (
        ("the original", case.original, None),
        *((f"without {u}", r, u) for u, r in case.without.items()),
    ):
        known = {thing.uid for thing in case.original.start} - {gone}
        if {thing.uid for thing in run.start} != known or {thing.uid for thing in run.end} != known:
            yield f"{name}: other things than there should be"
        yield from (f"{name}: {what}" for what in _of_events(run, known))


def _of_events(run: SimulatedRun, known: set[int]) -> Iterator[str]:
    basket = next(thing.uid for thing in run.start if thing.shape == "basket")
    for event in run.events:
        if event.type in (START, END) or not known.issuperset(event.objects) or len(event.objects) != 2:
            yield f"an event {event.type} of {event.objects} at {event.step}"
        elif event.type == "StartTouching" and event.step > LATEST_BEGIN:
            yield f"a touch that began at {event.step}, too late to be known as one"
        elif event.type == "ContainerEndUp" and event.objects[0] != basket:
            yield f"something entered {event.objects[0]}, which is no basket"


def _of_question(question: dict[str, Any], case: Case) -> Iterator[str]:
    where = f"question {question['question_index']}"
    try:
        found = answer_again(question["question"], case)
    except (NotUnderstood, Contradiction) as error:
        yield f"{where}: {error}"
        return
    if found != str(question["answer"]).casefold():
        yield f"{where}: answered {question['answer']}, and the events say {found}"
