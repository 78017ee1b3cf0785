"""Which rows the filters of a view keep: by kind, name, weights, size, date and evidence."""

import re
from typing import Protocol

from leaderboard.board.query import TIERS, View

NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT])?\b", re.IGNORECASE)
UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
BOUNDS = {"small": (0.0, 1e9), "medium": (1e9, 1e10), "large": (1e10, float("inf"))}  # parameters: from, below


class Filtered(Protocol):
    """What the filters look at; every row of a board has it."""

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
    """The number of parameters in a card's words ("7B", "0.5 B of 3 B trained"): the largest; None without one."""
    found = [float(number) * UNITS[unit.upper()] for number, unit in NUMBER.findall(text)]
    return max(found, default=None)


def is_wanted(view: View, row: Filtered) -> bool:
    """Whether the view shows this row. Reported people are the measure and pass every filter but that of kinds."""
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
    """A year or a month alone counts if a part of it lies on or after the day; no date never does."""
    return bool(when) and when >= day[: len(when)]
