"""Confidence intervals of proportions of independent, clustered, dyadic or crossed (people × items) observations.

Such intervals are Wilson intervals at an *effective* number of observations (Korn & Graubard 1998, Survey
Methodology 24; Dean & Pagano 2015, Journal of Survey Statistics and Methodology 3): n_eff = p(1 - p) / V, shrunk by
(z/t)^2 for the few degrees of freedom and never above n, where V is the variance of `measures.crossed`. Unlike
p ± t·sqrt(V) they stay within 0..1 and don't shrink to nothing at 0 and 1. Labels of clusters are one for each
observation, or two of one population for dyads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.crossed import Dependence, either, sharing, spread


@dataclass(frozen=True)
class Interval:
    """The ends of a confidence interval."""

    low: float
    high: float


NOTHING_KNOWN = Interval(0.0, 1.0)


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Score interval of a proportion of independent observations (Wilson 1927, JASA 22). No observations: 0 to 1."""
    if n <= 0:
        return NOTHING_KNOWN
    z, share = normal_quantile(level), successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if share >= 1 else min(1.0, centre + half))


@dataclass(frozen=True)
class Effective:
    """A share, the number of independent observations that know as much, and the number of clusters."""

    share: float
    number: float
    levels: float


def clustered(values: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Interval:
    """Interval of a proportion whose observations come in clusters, such as several questions about one clip."""
    totals = np.asarray(values, float)
    return clustered_sums(totals, np.ones(len(totals)), level, sharing(clusters))


def clustered_sums(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95, dependence: Dependence | None = None
) -> Interval:
    """Clustered interval from two columns; each row is a cluster, unless `dependence` says which rows share one.

    Where the proportion is 0 or 1, V is 0 and the clusters are counted as the observations; no other proportion has
    a higher lower end, or a lower upper end, than these two. Empty clusters may only stand where each row is one.
    """
    return interval_of(as_independent(totals, sizes, level, dependence), level)


def interval_of(found: Effective, level: float = 0.95) -> Interval:
    """Wilson interval of the share; its ends go at least as far as those of 0 and 1 with the same clusters."""
    own = wilson(found.share * found.number, found.number, level)
    nothing = 1 / (1 + found.levels / normal_quantile(level) ** 2)  # the upper end of none of so many clusters
    return Interval(min(own.low, 1 - nothing), max(own.high, nothing))


def as_independent(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95, dependence: Dependence | None = None
) -> Effective:
    """The share and its effective number of observations; all 0 without observations."""
    if dependence is None:
        totals, sizes = totals[sizes > 0], sizes[sizes > 0]
    n = float(sizes.sum())
    if not n:
        return Effective(0.0, 0.0, 0.0)
    share = float(totals.sum()) / n
    found = spread(totals - share * sizes, sizes, dependence)
    if found.degrees <= 0:
        return Effective(share, 1.0, 1.0)
    if share * (1 - share) <= 0:
        return Effective(share, found.levels, found.levels)
    number = share * (1 - share) / found.variance if found.variance > 0 else n
    return Effective(share, min(n, max(1.0, number * _shrinkage(level, found.degrees))), found.levels)


def two_way(values: Sequence[float], persons: ArrayLike, items: ArrayLike, level: float = 0.95) -> Interval:
    """Interval of a proportion of judgments, with both persons and items as random factors."""
    if len(values) == 0:
        return NOTHING_KNOWN
    share = sum(values) / len(values)
    fewer = min(len(np.unique(persons)), len(np.unique(items)))
    return from_variance(share, two_way_variance(values, persons, items), len(values), fewer, level)


def weighted_two_way(
    values: Sequence[float], weights: Sequence[float], persons: ArrayLike, items: ArrayLike, level: float = 0.95
) -> Interval:
    """The same of a weighted mean; the number of answers is Kish's effective one (1965, Survey Sampling, 11.7)."""
    given, known = np.asarray(weights, float), np.asarray(values, float)
    if not given.sum():
        return NOTHING_KNOWN
    share = float(given @ known / given.sum())
    variance = spread(given * (known - share), given, either(sharing(persons), sharing(items))).variance
    fewer = min(len(np.unique(persons)), len(np.unique(items)))
    return from_variance(share, variance, float(given.sum() ** 2 / (given @ given)), fewer, level)


def two_way_mean(values: Sequence[float], persons: ArrayLike, items: ArrayLike, level: float = 0.95) -> Interval | None:
    """Interval of a mean that is no proportion, persons and items as random factors.

    None where their variance is unknown: with fewer than two of either, or where all values are the same.
    """
    fewer = min(len(np.unique(persons)), len(np.unique(items)))
    if fewer < 2 or len(set(values)) < 2:
        return None
    mean = sum(values) / len(values)
    half = t_quantile(level, fewer - 1) * sqrt(two_way_variance(values, persons, items))
    return Interval(mean - half, mean + half)


def from_variance(share: float, variance: float, n: float, clusters: int, level: float = 0.95) -> Interval:
    """Wilson interval of a share of n observations at the effective number that its variance gives."""
    effective = effective_number(share, variance, n, clusters, level)
    return wilson(share * effective, effective, level)


def two_way_variance(values: Sequence[float], persons: ArrayLike, items: ArrayLike) -> float:
    """The variance of a mean over persons and items, crossed; at least that over either of them alone."""
    return _variance(values, either(sharing(persons), sharing(items)))


def _variance(values: Sequence[float], dependence: Dependence) -> float:
    known = np.asarray(values, float)
    return spread(known - known.mean(), np.ones(len(known)), dependence).variance


def design_effect(
    values: Sequence[float], persons: ArrayLike, items: ArrayLike, objects: ArrayLike | None = None
) -> float:
    """V(persons and objects) / V(items) of single judgments (Kish 1965, Survey Sampling, 8.2), at least 1.

    `objects` are the labels by which the items themselves depend on each other; None: they don't.
    """
    if len(values) == 0:
        return 1.0
    both = two_way_variance(values, persons, items if objects is None else objects)
    return effect_of(both, _variance(values, sharing(items)))


def effect_of(both: float, by_item: float) -> float:
    return max(1.0, both / by_item) if by_item else 1.0


def thinned_votes(right: float, n: int, effect: float, people: int) -> Interval:
    """Interval of `right` of n items by majority vote, with n divided by the design effect of so many people."""
    if n == 0:
        return NOTHING_KNOWN
    number, items = (max(1.0, _shrink(many, min(people, n), 0.95)) for many in (n / effect, n))
    return interval_of(Effective(right / n, number, items), 0.95)


def effective_number(share: float, variance: float, n: float, clusters: int, level: float) -> float:
    """Number of independent observations with the same variance, between 1 and n."""
    spread = share * (1 - share)
    if clusters < 2:
        return 1.0
    if spread <= 0:
        return float(clusters)
    shrunk = _shrink(spread / variance, clusters, level) if variance > 0 else float(n)
    return min(float(n), max(1.0, shrunk))


def _shrink(number: float, clusters: int, level: float) -> float:
    if clusters < 2:
        return 1.0
    return number * (normal_quantile(level) / t_quantile(level, clusters - 1)) ** 2


@cache
def normal_quantile(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + level / 2)


def _shrinkage(level: float, degrees: float) -> float:
    """(z/t)², which makes a normal interval at the shrunk number as wide as that of t."""
    return (normal_quantile(level) / t_quantile(level, degrees)) ** 2


@lru_cache(maxsize=4096)
def t_quantile(level: float, degrees: float) -> float:
    from scipy.special import stdtrit  # takes half a second to load: too long for a command without figures

    return float(stdtrit(degrees, 0.5 + level / 2))
