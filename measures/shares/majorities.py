"""Majority votes of people: how much a vote depends on each of its answers, and its interval over people and items.

Another study would have other people and other items. The number of items is divided by the design effect of the votes'
scores: their variance over items and people (`crossed`), relative to that of as many independent items. This
first-order effect ignores the small number of people, while the design effect of single answers is too large, since a
majority forgives one person's errors. Three parts of the first to one part of the second, in logarithms, give the most
even coverage (docs/how-we-checked.md).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from measures.scores.scoring import exact_match, majority_score
from measures.shares.crossed import added_variance, either, projected, sharing
from measures.shares.intervals import effect_of, variance_of_mean

OF_SINGLE = 0.25  # the weight of the design effect of single answers
NO_ANSWER = "\0"  # stands for any wrong answer


@dataclass(frozen=True)
class Voter:
    """A person's answer to an item: whether it is right, and the gain of the score if it is right instead of wrong."""

    person: str  # random code
    right: float
    swing: float


@dataclass(frozen=True)
class VotedItem:
    """The score of the vote on an item or a group of items, its answers, and the one or two labels that it shares with
    items on which it depends."""

    score: float
    voters: tuple[Voter, ...]
    label: int | tuple[int, int]

    @property
    def labels(self) -> tuple[int, int]:
        """Its two labels; a single one is repeated."""
        return self.label if isinstance(self.label, tuple) else (self.label, self.label)


def voters_of(answers: Iterable[tuple[str, str]], counts: Mapping[str, int], expected: str | None) -> tuple[Voter, ...]:
    """The people who gave these answers, (person, answer) each, to an item with these counts of answers."""
    known = _parts(tuple(counts.items()), expected)
    return tuple(Voter(person, *known[answer]) for person, answer in answers)


@lru_cache(maxsize=2048)
def _parts(counts: tuple[tuple[str, int], ...], expected: str | None) -> dict[str, tuple[float, float]]:
    """Answer -> whether it is right, and its swing; cached, since items with few answers have few different counts."""
    known = dict(counts)
    return {one: (exact_match(one, expected), swing(known, one, expected or "")) for one in known}


def swing(counts: Mapping[str, int], answer: str, expected: str) -> float:
    """The gain of the majority's score if this answer is right instead of wrong.

    A right answer is replaced by the wrong answer that others gave; if there are several, by each in turn.
    """
    others = +(Counter(counts) - Counter([answer]))
    wrong = [answer] if answer != expected else sorted({*others} - {expected}) or [NO_ANSWER]
    right, *scores = (majority_score(others + Counter([one]), expected) for one in (expected, *wrong))
    return right - sum(scores) / len(scores)


def majority_effect(items: Sequence[VotedItem]) -> float:
    """The design effect of the votes' scores; below 1 if ties make them vary less than right and wrong would."""
    scores = np.array([item.score for item in items])
    share, n = float(scores.mean()), len(items)
    plain = share * (1 - share) / n
    voters = [(voter, number) for number, one in enumerate(items) for voter in one.voters]
    if plain <= 1e-12 or not voters:
        return 1.0
    right, persons = [voter.right for voter, _ in voters], [voter.person for voter, _ in voters]
    places, labels = [number for _, number in voters], [items[number].label for _, number in voters]
    shares = projected(right, [voter.swing for voter, _ in voters])
    of_items = variance_of_mean(scores, sharing([one.label for one in items]))
    own = of_items + added_variance(shares, persons, labels, n).variance
    crossed = variance_of_mean(right, either(sharing(persons), sharing(labels)))
    single = effect_of(crossed, variance_of_mean(right, sharing(places)))
    alone = variance_of_mean(scores, sharing(range(n)))
    return float((own / plain) ** (1 - OF_SINGLE) * (single * alone / plain) ** OF_SINGLE) or 1.0
