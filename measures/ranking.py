"""Orders in which what is missing comes last, whichever way one sorts, and ranks that admit what they don't know."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from measures.intervals import Interval

Row = TypeVar("Row")


def ordered(rows: Iterable[Row], key: Callable[[Row], Any], *, descending: bool = True) -> list[Row]:
    """Sort by `key`: None comes last both ways, zero is a value like any other, ties keep their order."""
    rows = list(rows)
    known = [row for row in rows if key(row) is not None]
    known.sort(key=key, reverse=descending)
    return known + [row for row in rows if key(row) is None]


def rank_ranges(intervals: Sequence[Interval | None]) -> list[tuple[int, int] | None]:
    """The best and worst rank that each row may hold: behind those wholly above it, before those wholly below it.

    Two rows whose intervals overlap are not told apart. This is a cautious rule: non-overlap of two 95 % intervals
    implies a difference at well below the 5 % level, while overlap doesn't imply its absence (Schenker & Gentleman
    2001, The American Statistician 55). A row without an interval has no rank and moves nobody else's.
    """
    known = [interval for interval in intervals if interval is not None]
    return [None if interval is None else _rank_range(interval, known) for interval in intervals]


def _rank_range(own: Interval, all_known: list[Interval]) -> tuple[int, int]:
    above = sum(other.low > own.high for other in all_known)
    below = sum(other.high < own.low for other in all_known)
    return above + 1, len(all_known) - below
