"""Confidence intervals of means of bounded scores other than right or wrong, such as a referee's points."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from measures.figures import NOTHING_KNOWN, Interval
from measures.shares.crossed import Dependence
from measures.shares.intervals import normal_quantile, t_quantile, wilson

LARGEST = 1e12  # observations: with more, a score interval equals its centre


def mean_of_points(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float = 0.95, dependence: Dependence | None = None
) -> Interval:
    """Interval of a mean of scores from 0 to 1 in clusters, from each cluster's sum and size; clusters are not
    pairs.

    A Wilson interval at the number of observations that corresponds to the scores' own spread (see `intervals`),
    even if that exceeds the actual number: points vary less than right and wrong do. It is never narrower than what m
    clusters can exclude. Scores other than those seen have at most the share q with (1 - q)^m = 1 - level (the rule of
    three; Hanley & Lippman-Hand 1983, JAMA 249), so the mean is between mean·(1 - q) and mean·(1 - q) + q.
    """
    if dependence is not None:
        raise ValueError("points of clusters in pairs have no interval yet")
    totals, sizes = totals[sizes > 0], sizes[sizes > 0]
    n, clusters = float(sizes.sum()), len(sizes)
    if not clusters:
        return NOTHING_KNOWN
    mean = min(1.0, max(0.0, float(totals.sum()) / n))
    effective = min(LARGEST, _effective_number(mean, totals, sizes, level))
    seen = wilson(mean * effective, effective, level) if clusters > 1 else Interval(mean, mean)
    unseen = 1 - (1 - level) ** (1 / clusters)
    return Interval(min(seen.low, mean * (1 - unseen)), max(seen.high, mean * (1 - unseen) + unseen))


def _effective_number(mean: float, totals: NDArray[np.float64], sizes: NDArray[np.float64], level: float) -> float:
    """Number of independent right-or-wrong observations with the same variance as these clusters' mean."""
    clusters = len(sizes)
    if clusters < 2:
        return 1.0
    spread = float(((totals - mean * sizes) ** 2).sum())
    variance = clusters / (clusters - 1) * spread / float(sizes.sum()) ** 2
    shrunk = (normal_quantile(level) / t_quantile(level, clusters - 1)) ** 2
    return mean * (1 - mean) / variance * shrunk if variance > 0 else inf
