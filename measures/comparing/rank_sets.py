"""Ranks of many rows with one error rate for the whole board: all pairs of rows are tested together."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from measures.figures import LEVEL

DRAWS = 1_999
# Draws in memory: with fewer, a product of matrices costs ten times as much a draw; and numbers of them, 64 MB.
AT_ONCE, MOST = 256, 8_000_000
TIE = 1e-9  # statistics that differ by less are equal

Array = NDArray[np.float64]
Pairs = NDArray[np.int64]
Matrix = NDArray[np.bool_]  # rows × rows: [i, j] means that row i lies below row j


def rows_below(totals: Array, sizes: Array, clusters: NDArray[np.int64], *, draws: int = DRAWS) -> Matrix:
    """Which rows lie below which; with 95 % probability no pair of rows on the board is separated wrongly.

    `totals` and `sizes` hold each row's sum of scores and number of answers (rows × items, size 0 for an item that it
    did not answer), `clusters` the cluster of each item, such as its clip: one label per item, or the labels of its two
    objects (items × 2), each of which is a cluster of all its items. The difference of two means is studentised with
    its variance over clusters under equality. The joint distribution over all pairs comes from flipping the signs of
    whole clusters, identically in all pairs. The largest statistics are tested first, each against the maximum over the
    pairs not yet separated (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91; stepdown: Romano &
    Wolf 2005, Econometrica 73). The result does not depend on the order of items or the names of clusters. Raises
    ValueError if the shapes differ.
    """
    if totals.shape != sizes.shape or totals.shape[1:] != clusters.shape[:1]:
        raise ValueError(f"totals {totals.shape}, sizes {sizes.shape} and clusters {clusters.shape} do not fit")
    below = np.zeros((len(totals),) * 2, bool)
    known = np.flatnonzero(sizes.sum(axis=1) > 0)
    if len(known) > 1:
        number = sizes[known].sum(axis=1)
        means = np.round(totals[known].sum(axis=1), 9) / number
        shares, weights = (sums / number[:, None] for sums in _by_cluster(totals[known], sizes[known], clusters))
        first, second = np.triu_indices(len(known), 1)
        seen, differs = _separated(means, shares, weights, (first, second), draws)
        lower, higher = np.where(seen < 0, (first, second), (second, first))
        below[known[lower[differs]], known[higher[differs]]] = True
    return below


def rank_sets(below: Matrix) -> list[tuple[int, int]]:
    """The best and worst possible rank of each row: below all rows that are above it, above all that are below it."""
    worse = len(below) - below.sum(axis=0)
    return [(int(above) + 1, int(worst)) for above, worst in zip(below.sum(axis=1), worse, strict=True)]


def rank_groups(below: Matrix, scores: Sequence[float]) -> list[int]:
    """The tie group of each row, 1 for the best: every row of a later group lies below the first row of each earlier.

    In order of score, a group ends with the last row that is not below its first one.
    """
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    groups, number = [0] * len(order), 0
    while order:
        ties = [place for place, row in enumerate(order) if not below[row, order[0]]]
        number += 1
        for row in order[: ties[-1] + 1]:
            groups[row] = number
        order = order[ties[-1] + 1 :]
    return groups


def _by_cluster(totals: Array, sizes: Array, clusters: NDArray[np.int64]) -> tuple[Array, Array]:
    """Each cluster's sum of scores and number of answers per row (rows × clusters), in an order without names."""
    items, labels = _memberships(clusters)
    _, place = np.unique(labels, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    parts = (np.add.reduceat(values[:, items[order]], starts, axis=1) for values in (totals, sizes))
    sums = np.round(np.concatenate(list(parts)), 9)
    sums = sums[:, np.lexsort(sums)]  # equal columns are interchangeable, so their order need not be kept
    own, counts = np.split(sums, 2)
    return own, counts


def _memberships(clusters: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of items and labels of their clusters: one label per item, or two in a dyad."""
    items = np.arange(len(clusters))
    if clusters.ndim == 1:
        return items, clusters
    first, second = clusters.T
    are_two = first != second
    return np.concatenate([items, items[are_two]]), np.concatenate([first, second[are_two]])


def _separated(
    means: Array, shares: Array, weights: Array, pairs: tuple[Pairs, Pairs], draws: int
) -> tuple[Array, Matrix]:
    """Each pair's difference of means, first minus second, and whether the stepdown test separates it."""
    first, second = pairs
    difference = means[first] - means[second]
    middle, spread = _under_equality(means, shares, weights, pairs)
    seen = np.abs(difference) * _inverse(spread)
    order = np.argsort(-seen, kind="stable")
    ordered = (first[order], second[order])
    reached = np.zeros(len(order), np.int64)
    for flips in _signs(shares.shape[1], len(order), draws):
        swings = np.abs(_random_differences(flips, shares, weights, ordered, middle[order])) * _inverse(spread[order])
        largest = np.maximum.accumulate(swings[:, ::-1], axis=1)[:, ::-1]  # over this pair and all after it
        reached += (largest >= seen[order] - TIE).sum(axis=0)
    p = np.maximum.accumulate((reached + 1) / (draws + 1))
    differs = np.zeros(len(order), bool)
    differs[order] = p <= LEVEL + TIE
    return difference, differs


def _under_equality(means: Array, shares: Array, weights: Array, pairs: tuple[Pairs, Pairs]) -> tuple[Array, Array]:
    """Each pair's mean under equality, and the standard deviation of the difference around it over clusters.

    A cluster's part of the difference is d = (a - b) - middle · (v - w), with shares a, b and weights v, w.
    """
    first, second = pairs
    middle = (means[first] + means[second]) / 2
    gaps = [_products(one, other, pairs) for one, other in ((shares, shares), (shares, weights), (weights, weights))]
    return middle, np.sqrt(np.maximum(0.0, gaps[0] - 2 * middle * gaps[1] + middle**2 * gaps[2]))


def _products(one: Array, other: Array, pairs: tuple[Pairs, Pairs]) -> Array:
    """Σ (one[j] - one[k]) · (other[j] - other[k]) over clusters, for each pair j, k."""
    (first, second), table = pairs, one @ other.T
    return table[first, first] - table[first, second] - table[second, first] + table[second, second]


def _inverse(spread: Array) -> Array:
    """1 / spread; 0 if two rows answered every cluster alike, so that nothing separates them."""
    return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > TIE)


def _signs(clusters: int, pairs: int, draws: int) -> Iterator[Array]:
    """Yield blocks of random signs, one row per draw and one column per cluster."""
    rng, block = np.random.default_rng(0), max(1, min(AT_ONCE, MOST // max(clusters, pairs)))
    for start in range(0, draws, block):
        yield 1.0 - 2.0 * rng.integers(0, 2, (min(block, draws - start), clusters), np.int8)


def _random_differences(
    flips: Array, shares: Array, weights: Array, pairs: tuple[Pairs, Pairs], middle: Array
) -> Array:
    """The difference of each pair (columns) in each draw of signs (rows)."""
    first, second = pairs
    of_row = flips @ shares.T
    found = of_row[:, first] - of_row[:, second]
    if (weights == weights[0]).all():  # everybody answered everything: the common mean cancels
        return found
    of_row = flips @ weights.T
    return found - middle * (of_row[:, first] - of_row[:, second])
