"""Filters the rows of a view by kind, name, weights, size, date and evidence."""

import re
from typing import Protocol

from leaderboard.board.query import TIERS, View

NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT])?\b", re.IGNORECASE)
UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
BOUNDS = {"small": (0.0, 1e9), "medium": (1e9, 1e10), "large": (1e10, float("inf"))}  # parameters: from, below


class Filtered(Protocol):
    """The fields that the filters use; every row of a board has them."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def parameters(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def of_people(self) -> bool: ...
    @property
    def has_open_weights(self) -> bool: ...


def parameters_in(text: str) -> float | None:
    """The largest number of parameters in a card's text ("7B", "0.5 B of 3 B trained"); None if there is none."""
    found = [float(number) * UNITS[unit.upper()] for number, unit in NUMBER.findall(text)]
    return max(found, default=None)


def is_wanted(view: View, row: Filtered) -> bool:
    """Whether the view shows this row. Reported people are the reference and pass every filter except that of kinds."""
    if row.kind not in view.rows:
        return False
    return row.of_people or (
        view.search.casefold() in f"{row.name} {row.parameters}".casefold()
        and (not view.weights or row.has_open_weights)
        and (not view.size or _has_size(row.parameters, view.size))
        and (not view.since or _is_since(row.date, view.since))
        and (not view.tier or row.tier in TIERS[TIERS.index(view.tier) :])
    )


def _has_size(parameters: str, wanted: str) -> bool:
    size = parameters_in(parameters)
    low, high = BOUNDS[wanted]
    return size is not None and low <= size < high


def _is_since(when: str, day: str) -> bool:
    """Whether any part of this year, month or day is on or after the given day; False without a date."""
    return bool(when) and when >= day[: len(when)]
