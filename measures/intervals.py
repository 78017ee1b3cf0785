"""Confidence intervals of proportions of independent, clustered or two-way crossed (people × items) observations.

Clustered intervals are Wilson intervals at an *effective* number of observations (Korn & Graubard 1998, Survey
Methodology 24; Dean & Pagano 2015, Journal of Survey Statistics and Methodology 3): n_eff = p(1 - p) / V, shrunk by
(z/t)^2 for the few degrees of freedom and never above n, where V is the robust variance of the proportion. Unlike
p ± t·sqrt(V) they stay within 0..1 and don't shrink to nothing at 0 and 1.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit


@dataclass(frozen=True)
class Interval:
    """The ends of a confidence interval."""

    low: float
    high: float


NOTHING_KNOWN = Interval(0.0, 1.0)


@dataclass(frozen=True)
class ClusterTally:
    """The sum and the number of one cluster's observations."""

    total: float
    n: int


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Score interval of a proportion of independent observations (Wilson 1927, JASA 22). No observations: 0 to 1."""
    if n <= 0:
        return NOTHING_KNOWN
    z, share = normal_quantile(level), successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if share >= 1 else min(1.0, centre + half))


def clustered(values: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95) -> Interval:
    """Interval of a proportion whose observations come in clusters, such as several questions about one clip."""
    return clustered_tallies(tallies_of(values, clusters), level)


def clustered_tallies(tallies: Iterable[ClusterTally], level: float = 0.95) -> Interval:
    """Clustered interval of a proportion, from each cluster's sum and size."""
    known = list(tallies)
    totals, sizes = (np.array([getattr(tally, name) for tally in known], float) for name in ("total", "n"))
    return clustered_sums(totals, sizes, level)


def clustered_sums(totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95) -> Interval:
    """Clustered interval from two columns, with V = m/(m-1) · Σ(total - p·n)² / N² over m clusters, t at m - 1.

    This is the linearised variance of a ratio (Cochran 1977, Sampling Techniques, 6.3). Where the proportion is 0
    or 1, V is 0 and the clusters are counted as the observations. Empty clusters are ignored.
    """
    share, effective = as_independent(totals, sizes, level)
    return wilson(share * effective, effective, level)


def as_independent(totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The proportion and its effective number of observations; (0, 0) without observations."""
    totals, sizes = totals[sizes > 0], sizes[sizes > 0]
    n, clusters = float(sizes.sum()), len(sizes)
    if not clusters:
        return 0.0, 0.0
    share = float(totals.sum()) / n
    spread = float(((totals - share * sizes) ** 2).sum())
    variance = clusters / (clusters - 1) * spread / n**2 if clusters > 1 else 0.0
    return share, effective_number(share, variance, n, clusters, level)


def two_way(
    values: Sequence[float], persons: Sequence[Hashable], items: Sequence[Hashable], level: float = 0.95
) -> Interval:
    """Interval of a proportion of judgments, with both persons and items as random factors."""
    if len(values) == 0:
        return NOTHING_KNOWN
    share = sum(values) / len(values)
    fewer = min(len(set(persons)), len(set(items)))
    return from_variance(share, two_way_variance(values, persons, items), len(values), fewer, level)


def from_variance(share: float, variance: float, n: int, clusters: int, level: float = 0.95) -> Interval:
    """Wilson interval of a share of n observations at the effective number that its variance gives."""
    effective = effective_number(share, variance, n, clusters, level)
    return wilson(share * effective, effective, level)


def two_way_variance(values: Sequence[float], persons: Sequence[Hashable], items: Sequence[Hashable]) -> float:
    """V(persons) + V(items) - V(cells), the variance of a mean over two crossed factors.

    Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29; their cells are person × item. The
    result is at least the larger of the single terms, since only chance makes it fall below.
    """
    share = sum(values) / len(values)
    by_person = cluster_variance(tallies_of(values, persons), share)
    by_item = cluster_variance(tallies_of(values, items), share)
    by_cell = cluster_variance(tallies_of(values, list(zip(persons, items, strict=True))), share)
    return combined_variance(by_person, by_item, by_cell)


def combined_variance(by_person: float, by_item: float, by_cell: float) -> float:
    return max(by_person + by_item - by_cell, by_person, by_item)


def majority_vote(
    correct: Sequence[float], values: Sequence[float], persons: Sequence[Hashable], items: Sequence[Hashable]
) -> Interval:
    """Interval of the share of items that the majority got right, if the same people voted on many items.

    Items count as independent observations, but their number is divided by the design effect of the single judgments
    because items share people.
    """
    return thinned_votes(sum(correct), len(correct), design_effect(values, persons, items), len(set(persons)))


def design_effect(values: Sequence[float], persons: Sequence[Hashable], items: Sequence[Hashable]) -> float:
    """V(two-way) / V(items) of single judgments (Kish 1965, Survey Sampling, 8.2), at least 1."""
    if len(values) == 0:
        return 1.0
    by_item = cluster_variance(tallies_of(values, items), sum(values) / len(values))
    return effect_of(two_way_variance(values, persons, items), by_item)


def effect_of(both: float, by_item: float) -> float:
    return max(1.0, both / by_item) if by_item else 1.0


def thinned_votes(right: float, n: int, effect: float, people: int) -> Interval:
    """Interval of `right` of n items by majority vote, with n divided by the design effect of so many people."""
    if n == 0:
        return NOTHING_KNOWN
    effective = max(1.0, _shrink(n / effect, min(people, n), 0.95))
    return wilson(right / n * effective, effective)


def mean_difference(differences: Sequence[float], clusters: Sequence[Hashable], level: float = 0.95) -> Interval:
    """Interval of a mean of paired differences, clusters independent: d ± t(m - 1)·sqrt(V), V as for a proportion."""
    tallies = tallies_of(differences, clusters)
    if len(tallies) < 2:
        return Interval(-1.0, 1.0)
    mean = sum(differences) / len(differences)
    half = t_quantile(level, len(tallies) - 1) * sqrt(cluster_variance(tallies, mean))
    return Interval(max(-1.0, mean - half), min(1.0, mean + half))


def tallies_of(values: Sequence[float], clusters: Sequence[Hashable]) -> list[ClusterTally]:
    """Sum and size of each cluster, in order of first appearance."""
    totals: Counter[Hashable] = Counter()
    for value, cluster in zip(values, clusters, strict=True):
        totals[cluster] += value  # type: ignore[assignment]
    sizes = Counter(clusters)
    return [ClusterTally(totals[cluster], size) for cluster, size in sizes.items()]


def cluster_variance(tallies: Sequence[ClusterTally], mean: float) -> float:
    """Robust variance of a mean: m/(m-1) · Σ(total - mean·n)² / N²; 0 for a single cluster."""
    count, n = len(tallies), sum(tally.n for tally in tallies)
    if count < 2:
        return 0.0
    return count / (count - 1) * sum((tally.total - mean * tally.n) ** 2 for tally in tallies) / n**2


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


@cache
def t_quantile(level: float, degrees: int) -> float:
    return float(stdtrit(degrees, 0.5 + level / 2))
