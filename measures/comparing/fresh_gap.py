"""The gap between an answerer's scores on public items and on fresh items of the same making."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import Interval
from measures.shares.crossed import sharing, spread
from measures.shares.intervals import t_quantile

FEWEST = 12  # clusters of a side: with eight the interval held the gap in 98 %, and said next to nothing
UNSEEN = 0.7  # of a cluster; without it, two or three fresh clips a test held the gap in 90 to 93 % at 90 % right


@dataclass(frozen=True)
class FreshGap:
    """Mean over parts of public minus fresh scores, with interval and a one-sided p-value that fresh is not lower."""

    public: float
    fresh: float
    gap: float
    interval: Interval
    p: float


@dataclass(frozen=True)
class ScoredItems:
    """Scores with the part (a test, a scene) of each, and the labels by which they depend on each other."""

    scores: NDArray[np.float64]
    parts: NDArray[np.str_]
    labels: NDArray[np.int64]


def fresh_gap(public: ScoredItems, fresh: ScoredItems) -> FreshGap | None:
    """The gap, paired by common parts with equal weights; None with fewer than `FEWEST` clusters on a side, or no more
    than parts.

    The variances within parts, by cluster, are added for both sides; the variance between parts cancels in the pairs.
    """
    parts = np.intersect1d(public.parts, fresh.parts)
    sides = [_weighted(side, parts) for side in (public, fresh)] if len(parts) else []
    if not sides or any(side is None for side in sides):
        return None
    (one, first, free), (other, second, freedom) = (side for side in sides if side is not None)
    error, gap = np.sqrt(first + second), one - other
    degrees = (first + second) ** 2 / max(1e-12, first**2 / free + second**2 / freedom)
    half = t_quantile(0.95, max(1.0, degrees)) * error
    return FreshGap(one, other, gap, Interval(max(-1.0, gap - half), min(1.0, gap + half)), _p(gap, error, degrees))


def _weighted(side: ScoredItems, parts: ArrayLike) -> tuple[float, float, float] | None:
    """Mean over parts, its variance and degrees of freedom."""
    is_chosen = np.isin(side.parts, parts)
    names, numbers, counts = np.unique(side.parts[is_chosen], return_inverse=True, return_counts=True)
    means = np.bincount(numbers, side.scores[is_chosen]) / counts
    weights = len(numbers) / len(names) / counts[numbers]
    found = spread(
        weights * (side.scores[is_chosen] - means[numbers]), np.ones(len(numbers)), sharing(side.labels[is_chosen])
    )
    clusters = len(np.unique(side.labels[is_chosen], axis=0))
    if clusters < FEWEST or clusters <= len(names):
        return None
    left = (clusters - len(names)) / (clusters - 1)  # means were subtracted per part, not overall
    # Few clusters that agree by chance look sure, above all near 100 %; UNSEEN of one more or less is added.
    return float(means.mean()), found.variance / left + (UNSEEN / found.levels) ** 2, found.degrees * left


def _p(gap: float, error: float, degrees: float) -> float:
    from scipy.special import stdtr  # as in `measures.shares.intervals.t_quantile`

    return float(stdtr(max(1.0, degrees), -gap / error))
