"""What stands: the one threshold of p-values, their correction where many are shown, and the ranks of rows."""

from collections.abc import Sequence

import numpy as np

from measures.comparing.rank_sets import Matrix, rank_groups, rank_sets
from measures.figures import LEVEL, Interval, Rank


def family(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm-adjusted p-values in the given order; rejecting those up to α keeps the family-wise error rate at α.

    The i-th smallest of m values is multiplied by m - i + 1, and is then at least the one before and at most 1 (Holm
    1979, Scandinavian Journal of Statistics 6). It is valid for any dependence between the tests. None means not
    tested: it stays None and does not count. Raises ValueError for values outside 0 to 1.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        if not 0 <= p <= 1:
            raise ValueError(f"{p} is no p-value")
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted


def stands(p: float | None) -> bool:
    """Whether what was tested stands: the only reason for a tint, a flag or a word."""
    return p is not None and p < LEVEL


def excludes(low: float | None, high: float | None, value: float) -> bool:
    """Whether an interval leaves this value out: what stands where a figure has no test; False without both ends."""
    return low is not None and high is not None and not Interval(low, high).holds(value)


def lies_below(first: Interval, second: Interval) -> bool:
    """Whether the first figure lies below the second, where the two can't be tested: their intervals don't overlap.

    This rule is cautious: non-overlap of two 95 % intervals implies a difference at well below the 5 % level, while
    overlap doesn't imply its absence (Schenker & Gentleman 2001, The American Statistician 55).
    """
    return first.high < second.low


def with_untested(below: Matrix, places: Sequence[int | None], intervals: Sequence[Interval]) -> Matrix:
    """The matrix over all rows, from that of the tested ones and each row's place in it; None if it was not tested.

    Of a pair that was not tested, one lies below by `lies_below`.
    """
    low, high = np.array([(interval.low, interval.high) for interval in intervals]).reshape(-1, 2).T
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
