"""Variance of a mean whose observations share random factors: a clip, either of two objects, a person, or several.

Two observations depend on each other if they share a level. With A = 1 for those pairs, also of each with itself, and
0 for others, and e the residuals, V = e'Ae / n². For one factor this is the clustered variance, for objects in pairs
the dyadic one (Aronow, Samii & Assenova 2015, Political Analysis 23), for several factors the multiway one (Cameron,
Gelbach & Miller 2011, Journal of Business & Economic Statistics 29). The bias that comes from estimating the mean, and
the degrees of freedom, are those of e'Ae for independent observations (Bell & McCaffrey 2002, Survey Methodology 28):
m / (m - 1) and m - 1 for m clusters of one size, fewer for clusters of unequal sizes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


class Term(NamedTuple):
    """One sum of A = Σ sign · ZZ': the groups, numbered from 0, that rows belong to; a row can be in several."""

    sign: int
    rows: Places
    groups: Places


@dataclass(frozen=True)
class Dependence:
    """Which rows share a level: the terms of A, the number of independent rows if all that share are equal, and the
    weaker dependences whose variance is a lower bound, since only chance makes V fall below it."""

    terms: tuple[Term, ...]
    levels: float
    within: tuple["Dependence", ...] = ()

    def product(self, residuals: Numbers) -> float:
        """e'Ae: the sum of the products of all ordered pairs that share a level."""
        sums = (np.bincount(one.groups, residuals[one.rows]) for one in self.terms)
        return sum(one.sign * float(each @ each) for one, each in zip(self.terms, sums, strict=True))

    def neighbours(self, sizes: Numbers) -> Numbers:
        """The number of observations that share a level with each row, its own among them."""
        found = np.zeros(len(sizes))
        for one in self.terms:
            totals = np.bincount(one.groups, sizes[one.rows])
            found += one.sign * np.bincount(one.rows, totals[one.groups], minlength=len(sizes))
        return found


@dataclass(frozen=True)
class Spread:
    """The variance of a mean, its degrees of freedom, and the number of independent observations at least."""

    variance: float
    degrees: float  # 0: a single level, whose variance is unknown
    levels: float


def sharing(labels: ArrayLike) -> Dependence:
    """Dependence of rows by one label each (n,), or by either of two labels of one population (n, 2)."""
    known = np.asarray(labels)
    if known.ndim == 2:
        return _dyads(*_numbered(known))
    groups, count = _numbered(known)
    return Dependence((Term(1, np.arange(len(groups)), groups),), count)


def _numbered(labels: NDArray) -> tuple[Places, int]:
    """The labels as numbers from 0, in the same shape, and how many different ones there are."""
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
    both = Term(-1, apart, pairs[apart])  # the sum over objects counts those that share both objects twice
    return Dependence((every, both), levels, (Dependence((Term(1, rows, pairs),), levels),))


def either(first: Dependence, second: Dependence) -> Dependence:
    """Rows that share a level of one factor or of the other: A + B - A∘B."""
    both = tuple(one._replace(sign=-one.sign) for one in common(first, second).terms)
    terms = (*first.terms, *second.terms, *both)
    return Dependence(terms, min(first.levels, second.levels), (first, second))


def common(first: Dependence, second: Dependence) -> Dependence:
    """Rows that share a level of both factors: A∘B."""
    terms = tuple(_crossed(one, other) for one in first.terms for other in second.terms)
    return Dependence(terms, max(first.levels, second.levels))


def _crossed(one: Term, other: Term) -> Term:
    """The groups of rows that are together in a group of each; every row has an entry for each pair of its groups."""
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
    """What each answer adds to a sum of scores, to first order (Hájek 1968, Annals of Mathematical Statistics 39).

    `swings` are what the score of its item gains if the answer is right instead of wrong, given the others' answers: a
    majority of three hangs on an answer where the other two differ. Times how far the answer is from what is usual.
    """
    scores, weights = np.asarray(right, float), np.asarray(swings, float)
    whole = float(weights.sum())
    return weights * (scores - (float(weights @ scores) / whole if whole else 0.0))


@dataclass(frozen=True)
class Added:
    """What people add to a variance, at least 0, and the degrees of freedom of the variance over people."""

    variance: float
    degrees: float


def added_variance(parts: ArrayLike, people: ArrayLike, items: ArrayLike, n: int) -> Added:
    """What people as a random factor add to the variance of a sum of `parts` over n, whose items are random anyway.

    `parts` is what each answer adds to the sum (`projected`). The products of one person's answers to
    different items are counted (`items` as in `sharing`); those to one item are in the items' variance.
    """
    values = np.asarray(parts, float)
    if len(values) < 2:
        return Added(0.0, 0.0)
    residuals, ones, persons = values - values.mean(), np.ones(len(values)), sharing(people)
    alone, cells = (spread(residuals, ones, each) for each in (persons, common(persons, sharing(items))))
    scale = (len(values) / n) ** 2
    return Added(scale * max(0.0, alone.variance - cells.variance), alone.degrees)
