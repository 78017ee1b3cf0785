"""Which rows of a ranking lie below which, and the ranks that follow."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from measures.comparing.rank_sets import Array, Matrix, rank_groups, rank_sets, rows_below
from measures.figures import Interval, Rank


def lower_rows(totals: Array, sizes: Array, labels: NDArray[np.int64]) -> Matrix:
    """Which rows lie below which, all pairs tested together, from sums and numbers of answers (rows × items).

    `labels` say which items depend on each other, (items,) or (items, 2).
    """
    return rows_below(totals, sizes, labels)


def with_untested(below: Matrix, places: Sequence[int | None], intervals: Sequence[Interval]) -> Matrix:
    """The matrix over all rows, from that of the tested ones and each row's place in it; None if it was not tested.

    Of a pair that was not tested, one lies below by `evidence.lies_below`.
    """
    low, high = np.array([(one.low, one.high) for one in intervals]).reshape(-1, 2).T
    found: Matrix = high[:, None] < low[None]  # for all pairs at once
    own = [(at, place) for at, place in enumerate(places) if place is not None]
    here, there = np.array(own, np.int64).reshape(-1, 2).T
    found[np.ix_(here, here)] = below[np.ix_(there, there)]
    return found


def ranks(below: Matrix, scores: Sequence[float]) -> list[Rank]:
    """The rank of each row from this matrix over them; scores order rows within their groups of ties."""
    return [
        Rank(best, worst, group)
        for (best, worst), group in zip(rank_sets(below), rank_groups(below, scores), strict=True)
    ]
