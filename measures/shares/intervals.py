"""Confidence intervals of proportions of independent, clustered, dyadic or crossed (people × items) observations.

Such intervals are Wilson intervals at an *effective* number of observations (Korn & Graubard 1998, Survey Methodology
24; Dean & Pagano 2015, Journal of Survey Statistics and Methodology 3): n_eff = p(1 - p) / V, shrunk by (z/t)^2 for the
few degrees of freedom and never above n, where V is the variance of `crossed`. Unlike p ± t·sqrt(V) they stay
within 0..1 and don't shrink to nothing at 0 and 1. Cluster labels are one per observation, or two of one population for
dyads. docs/how-we-checked.md reports the coverage of these intervals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import LEVEL, NOTHING_KNOWN, Interval
from measures.shares.crossed import Dependence, either, sharing, spread

LARGEST = 1e12  # observations: with more, a score interval equals its centre
SMALLEST = 1e-12  # of p-values that invert an interval
BISECTIONS = 50  # of an interval of length 1: to 1e-15
HALVINGS = 16  # of the ratio between two p-values: to 0.04 % of either


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Score interval of a proportion of independent observations (Wilson 1927, JASA 22); 0 to 1 without any."""
    if n <= 0:
        return NOTHING_KNOWN
    z, share = normal_quantile(level), successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if share >= 1 else min(1.0, centre + half))


@dataclass(frozen=True)
class Effective:
    """A share of observations, its equivalent number of independent observations, and the number of clusters.

    The equivalent number comes from a variance with `degrees` degrees of freedom; inf if the variance is known.
    """

    share: float
    number: float
    levels: float
    observations: float
    degrees: float = inf

    def shrunk(self, level: float, spare: float = 0.0) -> float:
        """The number for an interval of this level: lower for few degrees of freedom, from 1 to the observations."""
        return min(self.observations, max(1.0, self.number * shrinkage(level, self.degrees + spare)))

    @property
    def is_fine(self) -> bool:
        """Whether the share has many more steps than clusters: at least two observations per cluster on average."""
        return self.observations >= 2 * self.levels


def clustered(values: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Interval:
    """Interval of a proportion of clustered observations, such as several questions about one clip."""
    totals = np.asarray(values, float)
    return clustered_sums(totals, np.ones(len(totals)), level, sharing(clusters))


def clustered_sums(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95, dependence: Dependence | None = None
) -> Interval:
    """Clustered interval from two columns; each row is a cluster, unless `dependence` says which rows share one.

    If the proportion is 0 or 1, V is 0 and the clusters count as the observations; no other proportion has a higher
    lower end, or a lower upper end, than these two. No row is empty.
    """
    return interval_of(as_independent(totals, sizes, dependence), level)


def interval_of(found: Effective, level: float = 0.95) -> Interval:
    """The interval of `two_sided`; if clusters have several observations, near 0 and 1 one end carries the whole
    error.

    A given number of clusters without a miss excludes no share below 1 - `nothing_of`, so from there on the lower end
    never lies above the truth. There the upper end carries the whole error, as in the modified Wilson interval (Brown,
    Cai & DasGupta 2001, Statistical Science 16, for single observations, whose few steps need it less); near 0 the
    lower end does. That end has a spare degree of freedom: with five clips the coverage was 96.5 to 97.4 % without it
    (docs/how-we-checked.md).
    """
    both = two_sided(found, level)
    if not found.is_fine or level <= 0.5:  # where one end can't carry an error of more than 1
        return both
    number, nothing = found.shrunk(2 * level - 1, spare=1.0), nothing_of(found, level)
    one = wilson(found.share * number, number, 2 * level - 1)
    low = one.low if one.low <= nothing else max(both.low, nothing)
    high = one.high if one.high >= 1 - nothing else min(both.high, 1 - nothing)
    return Interval(min(low, 1 - nothing), max(high, nothing))


def rejected_at(interval_at: Callable[[float], Interval], value: float) -> float:
    """The p-value of the test that rejects `value` where the interval of a level leaves it out: the smallest 1 - level.

    It is below 0.05 just if the 95 % interval leaves the value out, even if the ends do not move evenly with the level.
    """
    is_out = not interval_at(1 - LEVEL).holds(value)
    below, above = (SMALLEST, LEVEL) if is_out else (LEVEL, 1.0)
    for _ in range(HALVINGS):
        between = sqrt(below * above)
        below, above = (between, above) if interval_at(1 - between).holds(value) else (below, between)
    return below if is_out else above


def two_sided(found: Effective, level: float = 0.95) -> Interval:
    """Wilson interval of the share; its ends reach at least as far as those of 0 and 1 with the same clusters."""
    number, nothing = found.shrunk(level), nothing_of(found, level)
    own = wilson(found.share * number, number, level)
    return Interval(min(own.low, 1 - nothing), max(own.high, nothing))


def nothing_of(found: Effective, level: float) -> float:
    """The upper end of a share of 0 with this number of clusters."""
    return 1 / (1 + found.levels / normal_quantile(level) ** 2)


def as_independent(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], dependence: Dependence | None = None
) -> Effective:
    """The share and its effective number of observations; all 0 without observations."""
    n = float(sizes.sum())
    if not n:
        return Effective(0.0, 0.0, 0.0, 0.0)
    share = float(totals.sum()) / n
    found = spread(totals - share * sizes, sizes, dependence)
    if found.degrees <= 0:
        return Effective(share, 1.0, 1.0, 1.0)
    if share * (1 - share) <= 0:
        return Effective(share, found.levels, found.levels, found.levels)
    number = share * (1 - share) / found.variance if found.variance > 0 else inf
    return Effective(share, number, found.levels, n, found.degrees)


def two_way_mean(values: Sequence[float], persons: ArrayLike, items: ArrayLike) -> Interval | None:
    """Interval of a mean other than a proportion, with persons and items as random factors.

    None if their variance is unknown: with fewer than two of either, or if all values are equal.
    """
    fewer = min(len(np.unique(persons)), len(np.unique(items)))
    if fewer < 2 or len(set(values)) < 2:
        return None
    mean = sum(values) / len(values)
    half = t_quantile(0.95, fewer - 1) * sqrt(variance_of_mean(values, either(sharing(persons), sharing(items))))
    return Interval(mean - half, mean + half)


def from_variance(share: float, variance: float, n: float, clusters: int) -> Interval:
    """Interval of a share of n observations from its variance over few levels, such as people.

    With normal effects of people on the logit scale, their part of the variance is proportional to (θ(1 - θ))², while
    that of single answers is proportional to θ(1 - θ). Few people who are nearly all right may not include the one who
    often errs. Therefore the end towards 1/2 is that of the score interval of both parts if it reaches further than
    Wilson's.
    """
    own = wilson_of_variance(share, variance, n, clusters)
    whole = share * (1 - share)
    if clusters < 2 or whole <= 0 or variance <= whole / n:
        return own
    t, alone = t_quantile(0.95, clusters - 1), whole / n

    def is_within(end: float) -> bool:
        return (end - share) ** 2 <= t * t * variance_at(end * (1 - end) / whole, alone, variance - alone)

    end = furthest(is_within, share, 0.0 if share > 0.5 else 1.0)
    return Interval(min(own.low, end), own.high) if share > 0.5 else Interval(own.low, max(own.high, end))


def furthest(is_within: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last value on the way to `outside` that is within; `inside` is, `outside` is not."""
    for _ in range(BISECTIONS):
        between = (inside + outside) / 2
        inside, outside = (between, outside) if is_within(between) else (inside, between)
    return inside


def variance_at(relative: float, alone: float, people: float) -> float:
    """The variance of a share whose θ(1 - θ) is `relative` times that at which the two parts were estimated."""
    return alone * relative + people * relative**2


def wilson_of_variance(share: float, variance: float, n: float, clusters: int) -> Interval:
    """Wilson interval of a share of n observations at the effective number that corresponds to its variance."""
    effective = effective_number(share, variance, n, clusters)
    return wilson(share * effective, effective)


def variance_of_mean(values: ArrayLike, dependence: Dependence) -> float:
    known = np.asarray(values, float)
    return spread(known - known.mean(), np.ones(len(known)), dependence).variance


def effect_of(both: float, by_item: float) -> float:
    """The design effect V(persons and items) / V(items) of single judgments (Kish 1965, Survey Sampling, 8.2)."""
    return max(1.0, both / by_item) if by_item else 1.0


def interval_of_votes(scores: Sequence[float], *, effect: float, people: int) -> Interval:
    """Interval of the mean of majority votes, whose number is divided by the design effect of so many people."""
    n = len(scores)
    if not n:
        return NOTHING_KNOWN
    number, items = (max(1.0, _shrink(many, min(people, n))) for many in (n / effect, n))
    return two_sided(Effective(sum(scores) / n, number, items, number))


def effective_number(share: float, variance: float, n: float, clusters: int) -> float:
    """Number of independent observations with the same variance, between 1 and n."""
    spread = share * (1 - share)
    if clusters < 2:
        return 1.0
    if spread <= 0:
        return float(clusters)
    shrunk = _shrink(spread / variance, clusters) if variance > 0 else float(n)
    return min(float(n), max(1.0, shrunk))


def _shrink(number: float, clusters: int) -> float:
    return 1.0 if clusters < 2 else number * shrinkage(0.95, clusters - 1)


@lru_cache(maxsize=4096)
def normal_quantile(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + level / 2)


def shrinkage(level: float, degrees: float) -> float:
    """(z/t)², which makes a normal interval at the shrunk number as wide as a t interval."""
    return 1.0 if degrees == inf else (normal_quantile(level) / t_quantile(level, degrees)) ** 2


@lru_cache(maxsize=4096)
def t_quantile(level: float, degrees: float) -> float:
    from scipy.special import stdtrit  # loading takes half a second: too long for a command without figures

    return float(stdtrit(degrees, 0.5 + level / 2))


def mean_of_points(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95, dependence: Dependence | None = None
) -> Interval:
    """Interval of a mean of scores from 0 to 1 in clusters, from each cluster's sum and size; clusters are not
    pairs.

    A Wilson interval at the number of observations that corresponds to the scores' own spread,
    even if that exceeds the actual number: points vary less than right and wrong do. It is never narrower than what m
    clusters can exclude. Scores other than those seen have at most the share q with (1 - q)^m = 1 - level (the rule of
    three; Hanley & Lippman-Hand 1983, JAMA 249), so the mean is between mean·(1 - q) and mean·(1 - q) + q.
    """
    if dependence is not None:
        raise ValueError("points of clusters in pairs have no interval yet")
    n, clusters = float(sizes.sum()), len(sizes)
    if not clusters:
        return NOTHING_KNOWN
    mean = min(1.0, max(0.0, float(totals.sum()) / n))
    seen = Interval(mean, mean)
    if clusters > 1:
        effective = min(LARGEST, _effective_number(mean, totals, sizes, level))
        seen = wilson(mean * effective, effective, level)
    unseen = 1 - (1 - level) ** (1 / clusters)
    return Interval(min(seen.low, mean * (1 - unseen)), max(seen.high, mean * (1 - unseen) + unseen))


def _effective_number(mean: float, totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float) -> float:
    """Number of independent right-or-wrong observations with the same variance as the mean of these clusters, at least
    two."""
    clusters = len(sizes)
    spread = float(((totals - mean * sizes) ** 2).sum())
    variance = clusters / (clusters - 1) * spread / float(sizes.sum()) ** 2
    return mean * (1 - mean) / variance * shrinkage(level, clusters - 1) if variance > 0 else inf
