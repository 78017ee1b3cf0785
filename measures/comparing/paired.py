"""Paired differences by a score method: an interval, and the matching test.

Differences of scores, -1 to 1, are treated as discordant pairs. With b and c the sums of the positive and the negative
ones, Tango's interval (1998, Statistics in Medicine 17) uses the variance of b - c that each true difference implies.
It has a width without discordant pairs, and stays within -1 to 1. With clusters, dyads and people it is that of an
effective number of pairs, as for proportions (`measures.shares.intervals`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import FEW_PEOPLE, Interval
from measures.shares.crossed import Added, Spread, added_variance, sharing, spread
from measures.shares.intervals import furthest, normal_quantile, shrinkage

ANY_DIFFERENCE = Interval(-1.0, 1.0)


@dataclass(frozen=True)
class PeopleParts:
    """The contribution of each person's answer to the difference of its item, with the person and the item's labels.

    Shares are those of `crossed.projected`, negative if people are the second of the two. `score` is the
    people's score if one of the two is people; None if it is unknown, or if both are.
    """

    shares: ArrayLike
    people: ArrayLike
    labels: ArrayLike
    score: float | None = None
    are_second: bool = False
    sides: ArrayLike = 0  # of each share: 0 if its person is of the first, 1 of the second

    @property
    def panel(self) -> int:
        """How many people one panel has that tells as much about its spread: two panels of five count as nine."""
        people = np.asarray(self.people)
        return 1 + sum(len(np.unique(people[own])) - 1 for own in self._of_sides())

    def _of_sides(self) -> Iterator[NDArray[np.bool_]]:
        sides = np.broadcast_to(self.sides, np.shape(self.shares))
        yield from (sides == side for side in np.unique(sides))

    def added(self, n: int) -> Added:
        """What people add to a variance over n items: each side its part, around its own mean.

        Two panels of five have eight degrees of freedom; taken as one of ten, they rejected true nulls in 9 %.
        """
        shares, people, labels = np.asarray(self.shares, float), np.asarray(self.people), np.asarray(self.labels)
        parts = [added_variance(shares[own], people[own], labels[own], n) for own in self._of_sides()]
        return Added(*map(sum, zip(*((part.variance, part.alone, part.degrees) for part in parts), strict=True)))


@dataclass(frozen=True)
class PeoplePart:
    """The part of a difference's variance that comes from people, 0 to 1, and the people's score."""

    share: float
    score: float
    sign: int  # -1 if people are the second of the two

    def widening(self, further: float) -> float:
        """The factor of the standard error if the true difference exceeds the one seen by `further`.

        The people's score is then larger, too, or smaller if they are the second, and their part of the variance is
        proportional to its θ(1 - θ). The factor is never below 1: few people who are nearly always right may not
        include one who often errs. With (θ(1 - θ))², as in `intervals.from_variance`, the coverage of differences of
        majorities was 97 to 98.5 %.
        """
        truth = min(1.0, max(0.0, self.score + self.sign * further))
        relative = truth * (1 - truth) / (self.score * (1 - self.score))
        return sqrt(1 - self.share + self.share * max(1.0, relative))


@dataclass(frozen=True)
class Discordance:
    """The shares of pairs won by the first and by the second, and the equivalent number of independent pairs."""

    first: float
    second: float
    number: float
    degrees: float
    levels: float
    people: PeoplePart | None = None

    @property
    def difference(self) -> float:
        return self.first - self.second

    @property
    def variance(self) -> float:
        """The variance of one pair; 0 if all pairs are equal."""
        found = self.first + self.second - self.difference**2
        return found if found > 1e-12 else 0.0

    def interval(self, level: float = 0.95) -> Interval:
        """The score interval; on its own side of 0 it reaches at least as far as one without discordant pairs."""
        if self.degrees <= 0:
            return ANY_DIFFERENCE
        own = self._ends(self.independent(level), level)
        nothing = tango(0, 0, self.levels, level).high
        high = max(own.high, nothing) if self.difference >= 0 else own.high
        return Interval(min(own.low, -nothing) if self.difference <= 0 else own.low, high)

    def independent(self, level: float = 0.95) -> float:
        """The number of independent pairs, reduced for the few degrees of freedom of its variance."""
        if self.degrees <= 0:
            return 0.0
        return self.number * (shrinkage(level, self.degrees) if self.variance else 1.0)

    def _ends(self, number: float, level: float) -> Interval:
        first, second, number = (max(1.0, number) * one for one in (self.first, self.second, 1.0))
        return (
            tango(first, second, number, level)
            if self.people is None
            else self._with_people(first, second, number, level)
        )

    def _with_people(self, first: float, second: float, number: float, level: float) -> Interval:
        """The ends at which the score is z, with the standard error that people have there."""
        z, widening = normal_quantile(level), self._widening

        def score(difference: float) -> float:
            return _score(first, second, number, difference) / widening(difference)

        return Interval(_end(score, self.difference, -1.0, z), _end(score, self.difference, 1.0, z))

    def _widening(self, difference: float) -> float:
        return self.people.widening(difference - self.difference) if self.people else 1.0

    def p(self) -> float:
        """Two-sided p-value of no difference: 0.05 if the 95 % interval ends at 0."""
        from scipy.special import stdtr  # as in `intervals.t_quantile`

        either = self.first + self.second
        if self.degrees <= 0 or not either:
            return 1.0
        away = abs(self.difference) * sqrt(self.number / either) / self._widening(0.0)
        return float(2 * stdtr(self.degrees, -away))


def discordance(differences: ArrayLike, labels: ArrayLike, people: PeopleParts | None = None) -> Discordance:
    """Discordance of differences whose items depend on each other by these labels, (n,) or for dyads (n, 2).

    With `people`, they are a random factor, too: their contribution is added to the variance over items.
    """
    values = np.asarray(differences, float)
    first, second = float(np.maximum(values, 0).mean()), float(np.maximum(-values, 0).mean())
    alone = found = spread(values - values.mean(), np.ones(len(values)), sharing(labels))
    part = None
    if people is not None:
        found = with_people(alone, people, len(values))
        part = _part_of(people, alone, found)
    whole = Discordance(first, second, found.levels, found.degrees, found.levels, part)
    if not whole.variance:
        return whole
    number = whole.variance / found.variance if found.variance > 0 else float(len(values))
    is_plain = bool(np.isin(values, (-1, 0, 1)).all())  # means of seeds or people may count as more than single answers
    return replace(whole, number=min(number, len(values)) if is_plain else number)


def _part_of(people: PeopleParts, items: Spread, both: Spread) -> PeoplePart | None:
    """The people's part; None if their score is unknown, 0 or 1, or if they add nothing."""
    score = people.score
    if score is None or not 0 < score < 1 or both.variance <= items.variance:
        return None
    return PeoplePart(1 - items.variance / both.variance, score, -1 if people.are_second else 1)


def with_people(items: Spread, people: PeopleParts, n: int) -> Spread:
    """Items and people together, with the harmonic mean of two degrees of freedom.

    Those of the fewer (Cameron, Gelbach & Miller 2011) are too few where people add little: true nulls of 8 people were
    rejected in 2 %. Those of the sum (Satterthwaite 1946, Biometrics Bulletin 2) are too many where few people add most
    of it, since one of them may often err: 6 people, 9 %. A panel of few has those of the fewer.
    """
    added = people.added(n)
    whole, fewer = items.variance + added.variance, min(items.degrees, added.degrees)
    if not whole or items.degrees <= 0:
        return items
    if people.panel < FEW_PEOPLE:
        return Spread(whole, fewer, items.levels)
    of_sum = whole**2 / (items.variance**2 / items.degrees + added.alone**2 / added.degrees)
    return Spread(whole, 2 / (1 / fewer + 1 / min(items.degrees, max(fewer, of_sum))), items.levels)


@lru_cache(maxsize=2048)  # every difference of a chart needs the ends of no difference
def tango(first: float, second: float, n: float, level: float = 0.95) -> Interval:
    """Score interval of the difference of two paired shares, where `first` and `second` of n pairs are discordant."""
    z, score, found = normal_quantile(level), partial(_score, first, second, n), (first - second) / n
    return Interval(_end(score, found, -1.0, z), _end(score, found, 1.0, z))


def _score(first: float, second: float, n: float, difference: float) -> float:
    """The distance of the observed difference from this one in standard errors under this one; 0 if that error is 0."""
    if difference < 0:
        first, second = second, first
    size = abs(difference)
    half = (first + second - size * (2 * n - first + second)) / (4 * n)
    nuisance = half + sqrt(max(0.0, half**2 + second * size * (1 - size) / (2 * n)))  # the share won by the second
    variance = n * (2 * nuisance + size * (1 - size))
    away = abs(first - second - n * size)
    return away / sqrt(variance) if variance > 0 else inf if away else 0.0


def _end(score: Callable[[float], float], inside: float, outside: float, z: float) -> float:
    """The difference between these two at which the score is z; `outside` if it is not reached."""
    return outside if score(outside) <= z else furthest(lambda middle: score(middle) <= z, inside, outside)
