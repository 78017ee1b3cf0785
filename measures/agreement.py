"""Majority answers and agreement between several answers to one question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


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


def krippendorff_alpha(units: Iterable[Mapping[str, int]]) -> float | None:
    """Agreement on unordered answers beyond chance: 1 is perfect, 0 is chance, below 0 is systematic disagreement.

    `units` holds the count of each answer for each item; items with a single answer are left out, as the method
    demands. alpha = 1 - observed / expected disagreement over the pairable answers (Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability", nominal data). None if fewer than two different answers were given: there is no
    variation to measure agreement against.
    """
    pairable = [counts for counts in units if sum(counts.values()) >= 2]
    totals: Counter[str] = Counter()
    observed = 0.0
    for counts in pairable:
        n = sum(counts.values())
        totals.update(counts)
        observed += (n**2 - sum(count**2 for count in counts.values())) / (n - 1)
    n = totals.total()
    expected = n**2 - sum(count**2 for count in totals.values())
    return 1 - (n - 1) * observed / expected if expected else None


def interval_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for numbers, whose disagreement is their squared distance (Krippendorff 2011, interval
    data).

    `units` are the numbers given to each item; items with a single number are left out. None if all numbers are equal.
    """
    pairable = [list(values) for values in units if len(values) >= 2]
    every = [value for values in pairable for value in values]
    if len(set(every)) < 2:
        return None
    observed = sum(_squares(values) / (len(values) - 1) for values in pairable)
    return 1 - (len(every) - 1) * observed / _squares(every)


def _squares(values: Sequence[float]) -> float:
    """The sum of squared distances over all ordered pairs, in one pass: 2 (n · sum of squares - square of the sum)."""
    middle = sum(values) / len(values)  # centring avoids losing digits of large numbers
    return 2 * len(values) * sum((value - middle) ** 2 for value in values)
