"""Scores an answer, or the majority of several, against the expected one, 0 to 1."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from measures.scores.number_answers import is_within


def exact_match(answer: str | None, expected: str | None) -> float:
    """1.0 if the answer is the expected one, ignoring case, or in the expected range; None on either side gives 0.0."""
    if answer is None or expected is None:
        return 0.0
    return float(answer.casefold() == expected.casefold() or is_within(answer, expected))


@dataclass(frozen=True)
class Majority:
    """The majority answer; `answer` is None without answers or if several share the first place."""

    answer: str | None
    is_tie: bool
    counts: dict[str, int] = field(default_factory=dict)


def majority(answers: Iterable[str]) -> Majority:
    """The most frequent answer; a tie is reported and never broken."""
    counts = Counter(answers)
    ahead = counts.most_common(2)
    if not ahead:
        return Majority(None, is_tie=False)
    is_tie = len(ahead) == 2 and ahead[0][1] == ahead[1][1]
    return Majority(None if is_tie else ahead[0][0], is_tie, dict(counts))


def majority_score(counts: Mapping[str, int], expected: str | None) -> float:
    """1 if the majority gave the expected answer, else 0; answers in a tie for the first place share the point."""
    most = max(counts.values(), default=0)
    ahead = [answer for answer, count in counts.items() if count == most]
    return (expected in ahead) / len(ahead) if ahead else 0.0
