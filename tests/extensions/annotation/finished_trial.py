"""A finished annotation trial, written directly into its tables: six objects, three pairs, agreed questions."""

from pathlib import Path

from benchmarks.storage.access import path_of
from extensions.annotation.models import (
    AnnotationObject,
    AnnotationPair,
    Candidate,
    CandidateState,
    ObjectState,
    QuestionState,
    Task,
    TaskAnswer,
)
from humantrials.models import Trial
from tests.benchmarks.audio_clips import tone, write_heard
from tests.factories import make_clip, make_pack, make_participant, make_sheet, make_trial

MATERIALS = (["wood"], ["wood", "metal"], ["glass"], ["foam"], ["stone"], ["stone"])
SPLITS = ("train", "train", "val", "val", "test", "test")


def settled_trial(*, files: bool = False, **values) -> Trial:
    """The trial, with clips of 320 × 240, so that boxes must be scaled; `files` writes a small video for each."""
    pack = make_pack(benchmark="pacs", profile="material", name="wood")
    trial = make_trial(pack, protocol="pacs-annotation", slug="made", title="Made here", seed=7, **values)
    objects = [_object(trial, number, files=files) for number in range(6)]
    dropped = _object(trial, 6, files=files)
    AnnotationObject.objects.filter(pk=dropped.pk).update(state=ObjectState.DROPPED, reason="no-change")
    pairs = [_pair(trial, number, objects[2 * number + 1], objects[2 * number]) for number in range(3)]
    source = _answer(trial, pairs[0])
    for number, text in enumerate(("Which would float?", "Which would ring?", "Which is refused?")):
        written = {"text": text, "statement": "An object", "answer": 0, "properties": ["weight"]}
        written |= {"state": QuestionState.BAD if number == 2 else QuestionState.ACCEPTED}
        question = trial.questions_written.create(number=number, pair=pairs[0], source=source, place=number, **written)
        for pair in pairs:
            _candidate(pair, question, number)
    return trial


def _object(trial, number, *, files):
    frames = [300 * number, 300 * number + 150, 300 * number + 75]
    facts = {"source": "long.mp4", "source_fps": 30.0, "source_frames": frames}
    clip = make_clip(trial.pack, key=f"clip{number:05}", facts=facts)
    if files:
        write_heard(path_of(clip.displayed_file), tone(440, 1))
    marked = {"box": [32, 24, 160, 120], "confidence": 5, "materials": MATERIALS[number % 6]}
    return trial.objects_found.create(
        clip=clip, number=number, state=ObjectState.KEPT, split=SPLITS[number % 6], **marked
    )


def _pair(trial, number, first, second):
    return AnnotationPair.objects.create(trial=trial, number=number, first=first, second=second, split=first.split)


def _answer(trial, pair):
    task = Task.objects.create(
        trial=trial, sheet=make_sheet(trial, []), stage="questions", subject=pair.number, pair=pair, position=0
    )
    return TaskAnswer.objects.create(task=task, participant=make_participant(trial), epoch=1, counts=True)


def _candidate(pair, question, number):
    is_agreed = question.state == QuestionState.ACCEPTED and not (pair.number == 0 and number == 1)
    Candidate.objects.create(
        trial=pair.trial,
        pair=pair,
        question=question,
        origin="written" if pair.number == 0 else "assigned",
        label=number % 2,
        state=CandidateState.ACCEPTED if is_agreed else CandidateState.DROPPED,
        reason="" if is_agreed else "disagreement",
    )


def names_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
