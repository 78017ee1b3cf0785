"""Sorting with missing values last."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Row = TypeVar("Row")


def ordered(rows: Iterable[Row], key: Callable[[Row], Any], *, descending: bool = True) -> list[Row]:
    """Sort by `key`: None is last in both directions, zero is a normal value, ties keep their order."""
    rows = list(rows)
    known = [row for row in rows if key(row) is not None]
    known.sort(key=key, reverse=descending)
    return known + [row for row in rows if key(row) is None]
