"""The data set that an annotation trial has made so far, independent of the tables it was computed from.

Only settled results are included: kept objects with a trustworthy box, and candidates on which three different people
agree.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max, Min

from benchmarks.models import Clip
from extensions.annotation.models import (
    AnnotationObject,
    AnnotationPair,
    Candidate,
    CandidateState,
    ObjectState,
    QuestionState,
    Stage,
    TaskAnswer,
    WrittenQuestion,
)
from extensions.annotation.protocol.pairs import SPLITS
from humantrials.models import Trial

FRAME = (1280, 720)  # pixels: PACS scales its boxes to this size, whatever the clip's
Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True)
class DataObject:
    """One object: its box is in pixels of FRAME, its frame numbers count from 0 in the source video."""

    key: str
    clip: Clip
    box: Box
    materials: tuple[str, ...]
    split: str
    source: str
    frames: tuple[int, int, int]  # first, last, middle
    fps: float  # of the source video

    @property
    def seconds(self) -> float:
        first, last, _ = self.frames
        return (last - first) / self.fps


@dataclass(frozen=True)
class DataQuestion:
    """A question of the question bank."""

    key: str
    text: str
    statement: str
    properties: tuple[str, ...]


@dataclass(frozen=True)
class PairPoint:
    """A question about a pair; label 0 is the first object."""

    first: str
    second: str
    split: str
    text: str
    label: int

    @property
    def pair(self) -> str:
        return f"{self.first}_{self.second}"


@dataclass(frozen=True)
class DataPoint(PairPoint):
    """A question of the bank about a pair."""

    question: str


@dataclass(frozen=True)
class Dataset:
    """The content of a release's files, and the numbers of its datasheet."""

    slug: str
    title: str
    seed: int
    salt: str  # "" while the study is open
    source_of_draws: str
    is_simulated: bool
    objects: tuple[DataObject, ...]
    questions: tuple[DataQuestion, ...]
    pairs: tuple[tuple[str, str, str], ...]  # first, second, split: all pairs, asked about or not
    points: tuple[DataPoint, ...]
    figures: Mapping[str, object]


def dataset_of(trial: Trial) -> Dataset:
    """The data set as it would be exported now, even while stages are still open."""
    included = [one for one in trial.objects_found.select_related("clip") if _is_in(one)]
    objects = {one.pk: _object(one) for one in included}
    questions = list(trial.questions_written.filter(state=QuestionState.ACCEPTED))
    met = [pair for pair in trial.pairs.all() if pair.first_id in objects and pair.second_id in objects]
    pairs = [pair.pk for pair in met]
    accepted = trial.candidates.filter(state=CandidateState.ACCEPTED, pair__in=pairs).select_related("pair", "question")
    return Dataset(
        slug=trial.slug,
        title=trial.title,
        seed=trial.seed,
        salt=trial.published_salt,
        source_of_draws=trial.source_of_draws,
        is_simulated=trial.is_simulated,
        objects=tuple(objects.values()),
        questions=tuple(map(_question, questions)),
        pairs=tuple((objects[pair.first_id].key, objects[pair.second_id].key, pair.split) for pair in met),
        points=tuple(_point(one, objects) for one in accepted),
        figures=figures_of(trial),
    )


def _is_in(one: AnnotationObject) -> bool:
    """Whether the object was kept and its clip has not been withdrawn since."""
    return one.state == ObjectState.KEPT and one.box is not None and one.clip.withdrawn_at is None


def object_key(one: AnnotationObject) -> str:
    return f"object{one.number:04}"


def question_key(question: WrittenQuestion) -> str:
    return f"question{question.number:04}"


def _object(one: AnnotationObject) -> DataObject:
    clip, facts = one.clip, one.clip.facts
    frames = facts.get("source_frames") or [0, clip.frames, clip.frames // 2]
    return DataObject(
        key=object_key(one),
        clip=clip,
        box=scaled(one.box or [], clip.width, clip.height),
        materials=tuple(one.materials),
        split=one.split,
        source=str(facts.get("source") or clip.pack.name),
        frames=(frames[0], frames[1], frames[2]),
        fps=float(facts.get("source_fps") or clip.fps),
    )


def scaled(box: Sequence[float], width: int, height: int) -> Box:
    """Scale a box from the clip's pixels to PACS' frame of 1280 × 720; rounding never leaves it without area."""
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
    assert one.label is not None  # three people agreed on it
    pair: AnnotationPair = one.pair
    first, second = objects[pair.first_id].key, objects[pair.second_id].key
    return DataPoint(first, second, pair.split, one.question.text, one.label, question_key(one.question))


def figures_of(trial: Trial) -> dict[str, object]:
    """The datasheet's numbers, counted from the tables; reasons are codes of `protocol.vocabulary`."""
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
    """The number of people; further sittings of a person count once."""
    rows = answers.values_list("participant__first", "participant")  # type: ignore[attr-defined]
    return len({first or own for first, own in rows})
