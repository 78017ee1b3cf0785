"""Sorting with missing values last, ranks as ranges, tie groups and rank correlations."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import sqrt
from typing import Any, TypeVar

from measures.intervals import Interval

Row = TypeVar("Row")


def ordered(rows: Iterable[Row], key: Callable[[Row], Any], *, descending: bool = True) -> list[Row]:
    """Sort by `key`: None is last in both directions, zero is a normal value, ties keep their order."""
    rows = list(rows)
    known = [row for row in rows if key(row) is not None]
    known.sort(key=key, reverse=descending)
    return known + [row for row in rows if key(row) is None]


def rank_ranges(intervals: Sequence[Interval | None]) -> list[tuple[int, int] | None]:
    """The best and worst possible rank of each row: below all rows entirely above it, and above all entirely below
    it.

    Rows with overlapping intervals share ranks. This rule is cautious: non-overlap of two 95 % intervals implies a
    difference at well below the 5 % level, while overlap doesn't imply its absence (Schenker & Gentleman 2001, The
    American Statistician 55). A row without an interval has no rank and does not affect the others'.
    """
    known = [interval for interval in intervals if interval is not None]
    return [None if interval is None else _rank_range(interval, known) for interval in intervals]


def _rank_range(own: Interval, all_known: list[Interval]) -> tuple[int, int]:
    above = sum(other.low > own.high for other in all_known)
    below = sum(other.high < own.low for other in all_known)
    return above + 1, len(all_known) - below


def tie_groups(intervals: Sequence[Interval | None]) -> list[int | None]:
    """The group of each row, 1 for the best: rows whose interval reaches that of the highest row not yet in a group.

    Each row of a later group lies entirely below the first row of every earlier group. Nothing is claimed within a
    group, nor between its last row and the first row of the next group. The highest row is the one with the highest
    upper end of its interval. A row without an interval has no group.
    """
    known = sorted((one for one in intervals if one is not None), key=lambda one: (one.high, one.low), reverse=True)
    groups: dict[Interval, int] = {}
    number, floor = 0, float("inf")
    for one in known:
        if one.high < floor:
            number, floor = number + 1, one.low
        groups[one] = number
    return [None if one is None else groups[one] for one in intervals]


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of two orders of the same things: 1 for the same order, -1 for the opposite, 0 for no
    relation.

    (concordant - discordant) / sqrt(pairs untied in the first · pairs untied in the second); without ties this is
    tau (Kendall 1938, Biometrika 30; for ties 1945, Biometrika 33). None if either order ties everything, or for
    fewer than two things. Raises ValueError if the lengths differ.
    """
    pairs = list(combinations(zip(first, second, strict=True), 2))
    signs = [(_sign(one[0] - other[0]), _sign(one[1] - other[1])) for one, other in pairs]
    untied_first, untied_second = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    if not (untied_first and untied_second):
        return None
    return sum(a * b for a, b in signs) / sqrt(untied_first * untied_second)


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho: Pearson's correlation of the ranks, ties sharing the mean of their places (Spearman 1904).

    None if either is all ties, or for fewer than two things. Raises ValueError if the lengths differ.
    """
    pairs = list(zip(_ranks(first), _ranks(second), strict=True))
    middle = (len(pairs) + 1) / 2
    products = sum((one - middle) * (other - middle) for one, other in pairs)
    spreads = [sum((rank - middle) ** 2 for rank in ranks) for ranks in zip(*pairs, strict=True)]
    return products / sqrt(spreads[0] * spreads[1]) if spreads and min(spreads) > 0 else None


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    means = {value: sum(found) / len(found) for value, found in places.items()}
    return [means[value] for value in values]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
