"""Precision and power of a share before it is measured, with people and items both as samples.

An answer is right (1) or wrong (0), with y = share + person + item + rest, of which people and items are random and
crossed. The mean of n answers, spread evenly over P people and I items, has the variance people²/P + items²/I + rest²/n
(Westfall, Kenny & Judd 2014, Journal of Experimental Psychology: General 143).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from measures.shares.crossed import Dependence, sharing
from measures.shares.intervals import effective_number, from_variance, normal_quantile, t_quantile, variance_at


@dataclass(frozen=True)
class Variation:
    """A share between 0 and 1, and the parts of a single answer's variance that come from people and from items."""

    share: float
    people: float
    items: float

    @property
    def rest(self) -> float:
        """The rest of a single answer's variance."""
        return max(0.0, self.share * (1 - self.share) - self.people - self.items)

    def of_mean(self, size: "SampleSize") -> float:
        """The variance of the mean over these numbers of people, items and answers."""
        return self.people / size.people + self.items / size.items + self.rest / size.answers


@dataclass(frozen=True)
class SampleSize:
    """The numbers of a study's people, items and answers; answers are spread evenly."""

    people: int
    items: int
    answers: int

    @property
    def levels(self) -> int:
        return min(self.people, self.items)


def half_width(variation: Variation, size: SampleSize) -> float:
    """Half the expected interval of such a study, as computed by `estimate.figure_of_answers`."""
    return from_variance(variation.share, variation.of_mean(size), size.answers, size.levels).half_width


def power(variation: Variation, size: SampleSize, reference: float) -> float:
    """The probability that the interval of such a study excludes a fixed reference, such as chance.

    A Wilson interval excludes it if the share is further from it than z·sqrt(r(1 - r)/n), with the effective n; the
    interval of people excludes it only if it is also further than t standard errors at the reference
    (`intervals.variance_at`).
    """
    variance = variation.of_mean(size)
    if size.levels < 2 or variance <= 0:
        return 0.0
    number = effective_number(variation.share, variance, size.answers, size.levels)
    spread = variation.share * (1 - variation.share)
    alone = min(variance, spread / size.answers)
    there = variance_at(reference * (1 - reference) / spread, alone, variance - alone)
    needed = max(
        normal_quantile(0.95) * sqrt(reference * (1 - reference) / number),
        t_quantile(0.95, size.levels - 1) * sqrt(there),
    )
    distance, error = variation.share - reference, sqrt(variance)
    below = NormalDist().cdf
    return below((distance - needed) / error) + below((-distance - needed) / error)


def variation_of(values: Sequence[float], people: ArrayLike, items: ArrayLike) -> Variation | None:
    """The share and its variances from a pilot, by moments; None if no two answers share a person, or no two share an
    item.

    Products of residuals of two answers by one person have the mean people² - V, where V is the variance of the
    estimated mean; those of one item have the mean items² - V, and squares have the mean of a single answer's variance
    - V.
    """
    known = np.asarray(values, float)
    n, persons, things = len(known), sharing(people), sharing(items)
    if n < 2 or not (_pairs(persons, n) and _pairs(things, n)):
        return None
    residuals = known - known.mean()
    square = float(residuals @ residuals)
    by_person, by_item = ((one.product(residuals) - square) / _pairs(one, n) for one in (persons, things))
    shared = [(n + _pairs(one, n)) / n**2 for one in (persons, things)]
    rest = square / n - by_person - by_item
    room = 1 - sum(shared) + 1 / n
    mean = (by_person * shared[0] + by_item * shared[1] + rest / n) / room if room > 1e-9 else 0.0
    share = float(known.mean())
    most = share * (1 - share)
    of_people = min(most, max(0.0, by_person + mean))
    return Variation(share, of_people, min(most - of_people, max(0.0, by_item + mean)))


def _pairs(dependence: Dependence, n: int) -> float:
    """The number of ordered pairs of two different answers that share a level."""
    return float(dependence.neighbours(np.ones(n)).sum()) - n
