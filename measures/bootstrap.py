"""Cluster-bootstrap intervals, for statistics without a closed-form interval."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.intervals import Interval

RESAMPLES = 1_999
AT_ONCE = 2_000_000  # drawn numbers held in memory

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def cluster_bootstrap(
    statistic: Statistic,
    counts: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Percentile interval of a statistic of summed counts; whole clusters are drawn with replacement.

    `counts` holds k numbers for each of n observations (n × k), such as which of four cells of a table it falls into;
    `statistic` takes sums of them, a row for each resample (r × k), and returns r values, NaN where it is undefined.
    Clusters are independent, observations within one need not be (Field & Welsh 2007, Journal of the Royal
    Statistical Society B 69). The range is that of the statistic. None for fewer than two clusters, which show no
    variation between clusters, and if the statistic is undefined in more than one of twenty resamples.
    """
    sums = _sums(np.asarray(counts, dtype=float), clusters)
    if len(sums) < 2:
        return None
    rng = np.random.default_rng(seed)
    # Clusters with equal sums are drawn as one kind: the same distribution from a handful of numbers, not thousands.
    kinds, often = np.unique(sums, axis=0, return_counts=True)
    block = max(1, AT_ONCE // len(kinds))
    drawn = [
        statistic(_drawn(rng, kinds, often, min(block, resamples - start))) for start in range(0, resamples, block)
    ]
    values = np.concatenate(drawn)
    known = values[~np.isnan(values)]
    if len(known) < 0.95 * resamples:
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def _sums(counts: NDArray[np.float64], clusters: Sequence[Hashable]) -> NDArray[np.float64]:
    """One row a cluster, in order of first appearance."""
    if len(counts) != len(clusters):
        raise ValueError(f"{len(counts)} observations in {len(clusters)} clusters: each needs its own")
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(places), counts.shape[1] if counts.ndim == 2 else 0))
    np.add.at(sums, [places[cluster] for cluster in clusters], counts)
    return sums


def _drawn(
    rng: np.random.Generator, kinds: NDArray[np.float64], often: NDArray[np.int64], resamples: int
) -> NDArray[np.float64]:
    """One row for each resample: the sums over as many clusters as there are, drawn with replacement."""
    number = int(often.sum())
    return rng.multinomial(number, often / number, size=resamples) @ kinds
