"""The effect of wording on a score: the spread of accuracies over wordings of the same items.

Accuracies of finitely many items differ even without an effect of wording, since replies vary by chance. This noise is
estimated by the interaction of items (in clusters) and wordings, and subtracted. The spread is the standard deviation
of the wordings' own effects, and its interval that of Williams (1962, Biometrika 49) for a component of variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import LEVEL, Interval

MOST = 0.5  # no share has a larger standard deviation
FEW = 2  # fewest wordings or clusters for a result


@dataclass(frozen=True)
class WordingSpread:
    """Accuracies by wording; their standard deviation as seen, by chance alone, and of the wordings themselves."""

    scores: tuple[float, ...]
    seen: float
    chance: float
    own: float
    interval: Interval | None  # None with fewer than two wordings or clusters


def wording_spread(scores: ArrayLike, clusters: Sequence[object]) -> WordingSpread:
    """The spread of a table of scores with a row per item and a column per wording; items come in clusters."""
    table = np.asarray(scores, float)
    means = table.mean(0)
    count = table.shape[1]
    number = len(set(clusters))
    if count < FEW or number < FEW:
        return WordingSpread(tuple(means.tolist()), 0.0, 0.0, 0.0, None)
    between = float(means.var(ddof=1))
    noise = _noise(table, means, clusters, number)
    own = min(MOST**2, max(0.0, between - noise))
    ends = _ends(between, noise, count - 1, (count - 1) * (number - 1))
    return WordingSpread(tuple(means.tolist()), between**0.5, noise**0.5, own**0.5, ends)


def _noise(table: NDArray[np.float64], means: NDArray[np.float64], clusters: Sequence[object], number: int) -> float:
    """The variance of a wording's accuracy implied by the interaction with clusters of items."""
    left = table - table.mean(1, keepdims=True) - means + means.mean()
    _, places = np.unique(np.array([str(cluster) for cluster in clusters]), return_inverse=True)
    sums = np.zeros((number, table.shape[1]))
    np.add.at(sums, places, left)
    items, count = table.shape
    return float((sums**2).sum() / (items**2 * (count - 1)) * number / (number - 1))


def _ends(between: float, noise: float, degrees: int, others: int) -> Interval:
    """Williams' 95 % interval of a component of variance, as standard deviations."""
    from scipy.special import chdtri, fdtri  # as in `intervals.t_quantile`

    tail = LEVEL / 2
    low_f, high_f = float(fdtri(degrees, others, tail)), float(fdtri(degrees, others, 1 - tail))
    low_c, high_c = float(chdtri(degrees, 1 - tail)), float(chdtri(degrees, tail))
    low = max(0.0, (between - noise * high_f) * degrees / high_c)
    high = max(0.0, (between - noise * low_f) * degrees / low_c)
    return Interval(min(MOST, low**0.5), min(MOST, max(low, high) ** 0.5))
