"""Tests whether a network uses its videos: the same network and questions with the videos of other questions."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from extensions.training.craft.examples import VideoQuestion
from measures.estimate import PairedScores, difference, excludes

Say = Callable[[Sequence[VideoQuestion], Mapping[int, int] | None], Mapping[str, str]]
ALL = "All questions"


@dataclass(frozen=True)
class Compared:
    """Accuracy with the right videos minus that with others, paired by question; the interval is clustered by video."""

    name: str
    n: int
    right: float
    other: float
    difference: float
    low: float
    high: float

    @property
    def summary(self) -> str:
        if not excludes(self.low, self.high, 0.0):
            return "did not learn to use the picture"
        return "uses the picture" if self.difference > 0 else "is misled by the picture"


def exchanged(questions: Sequence[VideoQuestion], seed: int) -> dict[int, int]:
    """Another video for each video: the next one in an order drawn from the seed."""
    videos = sorted({question.video for question in questions})
    random.Random(f"{seed}:exchanged").shuffle(videos)  # noqa: S311
    return dict(zip(videos, [*videos[1:], *videos[:1]], strict=True))


def compared(questions: Sequence[VideoQuestion], say: Say, seed: int) -> list[Compared]:
    """The comparison for all questions, then for each question type in alphabetical order."""
    own, other = say(questions, None), say(questions, exchanged(questions, seed))
    kinds = sorted({question.kind for question in questions})
    groups = [(ALL, list(questions)), *((kind, [one for one in questions if one.kind == kind]) for kind in kinds)]
    return [_compared(name, own_questions, own, other) for name, own_questions in groups]


def _compared(
    name: str, questions: Sequence[VideoQuestion], own: Mapping[str, str], other: Mapping[str, str]
) -> Compared:
    right, wrong = (
        [float(answers[question.key] == question.answer) for question in questions] for answers in (own, other)
    )
    scores = zip([one.video for one in questions], right, wrong, strict=True)
    found = difference([PairedScores((video, video), first, second) for video, first, second in scores])
    figures = (found.first, found.second, found.value, found.interval.low, found.interval.high)
    return Compared(name, found.n, *(round(figure, 4) for figure in figures))


def verdict(row: Compared) -> str:
    """The result in words with its figures."""
    difference, low, high = (f"{100 * share:+.1f}".replace("-", "−") for share in (row.difference, row.low, row.high))
    return (
        f"{row.summary} ({difference} points with the right videos over those of other questions, 95 % interval {low}"
        f" to {high}, {row.n} held-out questions)"
    )
