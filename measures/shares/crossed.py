"""Variance of a mean whose observations share random factors: a clip, either of two objects, a person, or several of
these.

Two observations depend on each other if they share a level. Let A be 1 for such pairs (including each observation with
itself), 0 for others, and e the residuals; then V = e'Ae / n². For one factor this is the clustered variance, for
objects in pairs the dyadic one (Aronow, Samii & Assenova 2015, Political Analysis 23), for several factors the multiway
one (Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29). The bias that comes from estimating
the mean, and the degrees of freedom, are those of e'Ae for independent observations (Bell & McCaffrey 2002, Survey
Methodology 28): m / (m - 1) and m - 1 for m clusters of one size, fewer for clusters of unequal sizes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


class Term(NamedTuple):
    """One sum of A = Σ sign · ZZ': the groups, numbered from 0, to which rows belong; a row can be in several."""

    sign: int
    rows: Places
    groups: Places


@dataclass(frozen=True)
class Dependence:
    """Which rows share a level.

    It holds the terms of A, the number of independent rows if all that share are equal, and the weaker dependences
    whose variance is a lower bound, since V falls below it only by chance.
    """

    terms: tuple[Term, ...]
    levels: float
    within: tuple["Dependence", ...] = ()

    def product(self, residuals: Numbers) -> float:
        """e'Ae: the sum of products over all ordered pairs that share a level."""
        sums = (np.bincount(term.groups, residuals[term.rows]) for term in self.terms)
        return sum(one.sign * float(each @ each) for one, each in zip(self.terms, sums, strict=True))

    def neighbours(self, sizes: Numbers) -> Numbers:
        """The number of observations that share a level with each row, including its own."""
        found = np.zeros(len(sizes))
        for term in self.terms:
            totals = np.bincount(term.groups, sizes[term.rows])
            found += term.sign * np.bincount(term.rows, totals[term.groups], minlength=len(sizes))
        return found


@dataclass(frozen=True)
class Spread:
    """The variance of a mean, its degrees of freedom, and the minimum number of independent observations."""

    variance: float
    degrees: float  # 0: a single level, whose variance is unknown
    levels: float


def sharing(labels: ArrayLike) -> Dependence:
    """Dependence of rows through one label each (n,), or through either of two labels of one population (n, 2)."""
    known = np.asarray(labels)
    if known.ndim == 2:
        return _dyads(*_numbered(known))
    groups, count = _numbered(known)
    return Dependence((Term(1, np.arange(len(groups)), groups),), count)


def _numbered(labels: NDArray) -> tuple[Places, int]:
    """The labels as numbers from 0, in the same shape, and the number of different labels."""
    values, numbers = np.unique(labels, return_inverse=True)
    return numbers.reshape(labels.shape), len(values)


def _dyads(objects: Places, count: int) -> Dependence:
    """Pairs that share one object or both; a pair of an object with itself is a plain cluster."""
    rows, (first, second) = np.arange(len(objects)), objects.T
    apart = np.flatnonzero(first != second)
    every = Term(1, np.concatenate([rows, apart]), np.concatenate([first, second[apart]]))
    levels = count * len(rows) / max(1, len(every.rows))
    if not len(apart):
        return Dependence((every,), levels)
    pairs, _ = _numbered(objects.min(axis=1) * count + objects.max(axis=1))
    both = Term(-1, apart, pairs[apart])  # the sum over objects counts pairs that share both objects twice
    return Dependence((every, both), levels, (Dependence((Term(1, rows, pairs),), levels),))


def either(first: Dependence, second: Dependence) -> Dependence:
    """Rows that share a level of either factor: A + B - A∘B."""
    both = tuple(term._replace(sign=-term.sign) for term in common(first, second).terms)
    terms = (*first.terms, *second.terms, *both)
    return Dependence(terms, min(first.levels, second.levels), (first, second))


def common(first: Dependence, second: Dependence) -> Dependence:
    """Rows that share a level of both factors: A∘B."""
    terms = tuple(_crossed(term, other) for term in first.terms for other in second.terms)
    return Dependence(terms, max(first.levels, second.levels))


def _crossed(one: Term, other: Term) -> Term:
    """The groups of rows that share a group of each factor; every row has an entry for each pair of its groups."""
    order = np.argsort(other.rows, kind="stable")
    rows, groups = other.rows[order], other.groups[order]
    starts, ends = np.searchsorted(rows, one.rows), np.searchsorted(rows, one.rows, side="right")
    counts = ends - starts
    own = np.repeat(np.arange(len(one.rows)), counts)
    places = np.arange(len(own)) + np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    width = int(groups.max(initial=0)) + 1
    numbers, _ = _numbered(one.groups[own] * width + groups[places])
    return Term(one.sign * other.sign, one.rows[own], numbers)


def spread(residuals: Numbers, sizes: Numbers, dependence: Dependence | None = None) -> Spread:
    """Variance of a mean from each row's sum of residuals and number of observations; None: rows are independent."""
    neighbours = sizes if dependence is None else dependence.neighbours(sizes)
    product = float(residuals @ residuals) if dependence is None else dependence.product(residuals)
    n, pairs, paths = float(sizes.sum()), float(sizes @ neighbours), float(sizes @ neighbours**2)
    trace = n - pairs / n
    if trace <= 1e-9 * n:
        return Spread(0.0, 0.0, 1.0)
    variance, degrees = product / n / trace, trace**2 / (pairs - 2 * paths / n + (pairs / n) ** 2)
    known = (spread(residuals, sizes, each).variance for each in (dependence.within if dependence else ()))
    return Spread(max(variance, *known, 0.0), degrees, len(sizes) if dependence is None else dependence.levels)


def projected(right: ArrayLike, swings: ArrayLike) -> Numbers:
    """The contribution of each answer to a sum of scores, to first order (Hájek 1968, Annals of Mathematical Statistics
    39).

    `swings` are the gains of the item's score if the answer is right instead of wrong, given the others' answers: a
    majority of three depends on an answer if the other two differ. The contribution is the swing times the answer's
    distance from the usual one.
    """
    scores, weights = np.asarray(right, float), np.asarray(swings, float)
    whole = float(weights.sum())
    return weights * (scores - (float(weights @ scores) / whole if whole else 0.0))


@dataclass(frozen=True)
class Added:
    """The people's contribution to a variance, at least 0, and the variance over people of which it is a part, `alone`,
    with its degrees of freedom.
    """

    variance: float
    alone: float
    degrees: float


def added_variance(parts: ArrayLike, people: ArrayLike, items: ArrayLike, n: int) -> Added:
    """The contribution of people as a random factor to the variance of a sum of `parts` over n; items are random,
    too.

    `parts` is the contribution of each answer to the sum (`projected`). The products of one person's answers to
    different items are counted (`items` as in `sharing`); those to one item are in the items' variance.
    """
    values = np.asarray(parts, float)
    if len(values) < 2:
        return Added(0.0, 0.0, 0.0)
    residuals, ones, persons = values - values.mean(), np.ones(len(values)), sharing(people)
    alone, cells = (spread(residuals, ones, each) for each in (persons, common(persons, sharing(items))))
    scale = (len(values) / n) ** 2
    return Added(scale * max(0.0, alone.variance - cells.variance), scale * alone.variance, alone.degrees)
