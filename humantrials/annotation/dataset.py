"""The data set that a trial of annotation has made so far, apart from the tables that it was worked out in.

Only what is settled goes in: objects that were kept, and candidates on which three different people agreed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max, Min

from benchmarks.models import Clip
from humantrials.annotation.pairing import SPLITS
from humantrials.models import (
    AnnotationObject,
    AnnotationPair,
    Candidate,
    CandidateState,
    ObjectState,
    QuestionState,
    Stage,
    TaskAnswer,
    Trial,
    WrittenQuestion,
)

FRAME = (1280, 720)  # pixels: what PACS gives its boxes in, whatever the clip's size
Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True)
class DataObject:
    """One object: the box is in pixels of FRAME, the frames are of its source video, counted from 0."""

    key: str
    clip: Clip
    box: Box
    materials: tuple[str, ...]
    split: str
    source: str
    frames: tuple[int, int, int]  # first, last, middle
    fps: float  # of the source

    @property
    def seconds(self) -> float:
        first, last, _ = self.frames
        return (last - first) / self.fps


@dataclass(frozen=True)
class DataQuestion:
    """A question of the bank."""

    key: str
    text: str
    statement: str
    properties: tuple[str, ...]


@dataclass(frozen=True)
class DataPoint:
    """A question about a pair; label 0 is the first object."""

    first: str
    second: str
    split: str
    question: str
    text: str
    label: int

    @property
    def pair(self) -> str:
        return f"{self.first}_{self.second}"


@dataclass(frozen=True)
class Dataset:
    """All that the files of a release say, and the figures of its datasheet."""

    slug: str
    title: str
    seed: int
    is_simulated: bool
    objects: tuple[DataObject, ...]
    questions: tuple[DataQuestion, ...]
    pairs: tuple[tuple[str, str, str], ...]  # first, second, split: all that were made, asked about or not
    points: tuple[DataPoint, ...]
    figures: Mapping[str, object]


def dataset_of(trial: Trial) -> Dataset:
    """What stands now; while stages are open it is what would be exported at this moment."""
    objects = {one.pk: _object(one) for one in trial.objects_found.select_related("clip") if _is_in(one)}
    questions = list(trial.questions_written.filter(state=QuestionState.ACCEPTED))
    met = [pair for pair in trial.pairs.all() if pair.first_id in objects and pair.second_id in objects]
    accepted = trial.candidates.filter(state=CandidateState.ACCEPTED).select_related("pair", "question")
    return Dataset(
        slug=trial.slug,
        title=trial.title,
        seed=trial.seed,
        is_simulated=trial.is_simulated,
        objects=tuple(objects.values()),
        questions=tuple(map(_question, questions)),
        pairs=tuple((objects[pair.first_id].key, objects[pair.second_id].key, pair.split) for pair in met),
        points=tuple(_point(one, objects) for one in accepted),
        figures=figures_of(trial),
    )


def _is_in(one: AnnotationObject) -> bool:
    """Kept, and of a clip that nobody has withdrawn since."""
    return one.state == ObjectState.KEPT and one.box is not None and one.clip.withdrawn_at is None


def question_key(question: WrittenQuestion) -> str:
    return f"question{question.number:04}"


def _object(one: AnnotationObject) -> DataObject:
    clip, facts = one.clip, one.clip.facts
    frames = facts.get("source_frames") or [0, clip.frames, clip.frames // 2]
    return DataObject(
        key=f"object{one.number:04}",
        clip=clip,
        box=scaled(one.box or [], clip.width, clip.height),
        materials=tuple(one.materials),
        split=one.split,
        source=str(facts.get("source") or clip.pack.name),
        frames=(frames[0], frames[1], frames[2]),
        fps=float(facts.get("source_fps") or clip.fps),
    )


def scaled(box: Sequence[float], width: int, height: int) -> Box:
    """A box in a clip's own pixels as PACS has it: of the frame of 1280 × 720, and of an area whatever the rounding."""
    across, down = FRAME[0] / width, FRAME[1] / height
    left, right = _edges(box[0] * across, box[2] * across, FRAME[0])
    top, bottom = _edges(box[1] * down, box[3] * down, FRAME[1])
    return left, top, right, bottom


def _edges(low: float, high: float, most: int) -> tuple[int, int]:
    first = min(max(0, round(low)), most - 1)
    return first, min(max(first + 1, round(high)), most)


def _question(question: WrittenQuestion) -> DataQuestion:
    return DataQuestion(question_key(question), question.text, question.statement, tuple(question.properties))


def _point(one: Candidate, objects: Mapping[int, DataObject]) -> DataPoint:
    assert one.label is not None  # an accepted candidate has the answer that three people gave
    pair: AnnotationPair = one.pair
    first, second = objects[pair.first_id].key, objects[pair.second_id].key
    return DataPoint(first, second, pair.split, question_key(one.question), one.question.text, one.label)


def figures_of(trial: Trial) -> dict[str, object]:
    """What the datasheet tells, counted from the tables; reasons are codes of `annotation.vocabulary`."""
    counted = TaskAnswer.objects.filter(task__trial=trial, counts=True)
    between = counted.aggregate(first=Min("created_at"), last=Max("created_at"))
    return {
        "objects": _by_state(trial.objects_found.values_list("state", "reason")),
        "splits": {split: trial.objects_found.filter(split=split).count() for split in SPLITS},
        "pairs": {split: trial.pairs.filter(split=split).count() for split in SPLITS},
        "pairs_for_writers": trial.pairs.filter(is_for_writers=True).count(),
        "questions": _by_state(trial.questions_written.values_list("state", "reason")),
        "candidates": {
            origin: _by_state(trial.candidates.filter(origin=origin).values_list("state", "reason"))
            for origin in ("written", "assigned")
        },
        "people": {stage: _people(counted.filter(task__stage=stage)) for stage in Stage.values},
        "answers": {stage: counted.filter(task__stage=stage).count() for stage in Stage.values},
        "attention_missed": TaskAnswer.objects.filter(task__trial=trial, missed_attention=True).count(),
        "first_answer": between["first"],
        "last_answer": between["last"],
    }


def _by_state(rows: Iterable[tuple[str, str]]) -> dict[str, object]:
    found = list(rows)
    reasons = Counter(reason or "without a reason" for state, reason in found if state in ("dropped", "bad"))
    return {**Counter(state for state, _ in found), "reasons": dict(reasons.most_common())}


def _people(answers: object) -> int:
    """How many persons: one who came back for further sheets is the one who came first."""
    rows = answers.values_list("participant__first", "participant")  # type: ignore[attr-defined]
    return len({first or own for first, own in rows})
