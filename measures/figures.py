"""Figures as they are stored and shown; `measures.estimate` makes them from answers."""

from dataclasses import dataclass

LEVEL = 0.05  # significance level that matches a 95 % interval
# Fewer clips or groups, or people, and intervals of differences hold the truth otherwise than in 95 % (group_coverage).
FEW, FEW_PEOPLE = 64, 8
FEW_CLIPS = 10  # a figure of fewer is not tested against chance


@dataclass(frozen=True)
class Interval:
    """The ends of a confidence interval."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the value is within the ends."""
        return self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def reaching(self, value: float) -> "Interval":
        """The interval, extended to the value if it is outside."""
        return Interval(min(self.low, value), max(self.high, value))


NOTHING_KNOWN = Interval(0.0, 1.0)


@dataclass(frozen=True)
class Figure:
    """A score from 0 to 1 over n answers to questions about so many clips, the ends of its 95 % interval, and the
    p-value of the chance level, 0 to 1, where one is known.

    The interval leaves `chance` out just if p is below 0.05.
    """

    score: float
    n: int
    clips: int
    interval: Interval
    p: float | None = None
    chance: float | None = None


@dataclass(frozen=True)
class PeopleFigure:
    """A score from 0 to 1 over n votes or answers of so many people, with the ends of its 95 % interval.

    The interval follows from `effect`, the design effect of the votes, or from `variance`, that of a mean of answers.
    Without votes or answers the score is None.
    """

    score: float | None
    n: int
    people: int
    interval: Interval
    effect: float = 1.0
    variance: float | None = None


@dataclass(frozen=True)
class Difference:
    """First minus second, -1 to 1, on n items about so many clips, with its 95 % interval, p-value and test.

    The interval leaves 0 out just if p is below 0.05. `people` is the size of the panel behind either score, two panels
    of five being as one of nine; 0 for two models. `detectable` is the smallest difference that so many items, with
    answers that differ as often, would show in four of five repetitions; None if none would.
    """

    n: int
    clips: int
    first: float
    second: float
    interval: Interval
    p: float
    test: str
    people: int
    detectable: float | None

    @property
    def value(self) -> float:
        return self.first - self.second

    @property
    def caution(self) -> str:
        """What there is too little of for an interval and a test that err as often as they say."""
        if 0 < self.people < FEW_PEOPLE:
            return f"fewer than {FEW_PEOPLE} people: a wide interval, on the safe side"
        return "few clips or groups: a wide interval, on the safe side" if self.clips < FEW else ""


@dataclass(frozen=True)
class Rank:
    """The best and the worst rank that a row can have, from 1, and its group of ties, 1 for the best."""

    best: int
    worst: int
    group: int


@dataclass(frozen=True)
class Consistency:
    """Observed and expected agreement of two answerers on being right or wrong on n items (error consistency).

    `expected` follows only from the two accuracies. `kappa` is (observed - expected) / (1 - expected): 1 is full
    agreement, 0 is chance; it and its 95 % interval are None if both are always right or both always wrong.
    """

    n: int
    observed: float
    expected: float
    kappa: float | None
    interval: Interval | None = None
