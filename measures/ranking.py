"""Sorting with missing values last, and rank correlations."""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import Any, TypeVar

Row = TypeVar("Row")


def ordered(rows: Iterable[Row], key: Callable[[Row], Any], *, descending: bool = True) -> list[Row]:
    """Sort by `key`: None is last in both directions, zero is a normal value, ties keep their order."""
    rows = list(rows)
    known = [row for row in rows if key(row) is not None]
    known.sort(key=key, reverse=descending)
    return known + [row for row in rows if key(row) is None]


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
