"""Figures of rows with hidden answers, rounded so that no single answer can be inferred (decision 0012)."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.packs.item_arrays import Chances
from leaderboard.standings.stored_cells import StoredCell, cell_of
from leaderboard.standings.tallies import ClipTally, Groups, RunTally, Tallies, by_facet, overall

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
ANSWERS_A_STEP = 4  # at least: one answer more or less mostly leaves the rounded figure unchanged
FEWEST = 20  # a figure with fewer hidden items counts only public items
EXACT = ("n", "clips", "chance", "points", "people", "judgments", "ties", "votes")  # which no answer decides
ROUNDED = ("score", "unread", "yes")
NOTHING = np.zeros((0, len(ClipTally._fields)))


def step_of(items: int) -> float:
    """The step, as a share, to which a score over so many items is rounded."""
    return next((step for step in STEPS if step * items >= ANSWERS_A_STEP), STEPS[-1])


def overall_cell(within: RunTally, chance: float | None, *, seeds: int) -> StoredCell:
    """The cell over all answered items."""
    everything, public, hidden = (overall(part) if len(part.places) else NOTHING for part in _divided(within))
    guard = partial(guarded, seeds=seeds, is_points=within.is_points)
    return guard(everything, public, hidden, chance, chance)


def facet_cells(
    within: RunTally, names: list[str], chances: Chances, guessing: Chances, *, telling: frozenset[str], seeds: int
) -> dict[str, dict[str, StoredCell]]:
    """facet -> value -> cell; facets that reveal an answer count only public items."""
    everything, public, hidden = (_by_facet(part, names) for part in _divided(within))
    cells: dict[str, dict[str, StoredCell]] = {}
    guard = partial(guarded, seeds=seeds, is_points=within.is_points)
    for key in everything:
        of_public = public.get(key, NOTHING)
        parts = (
            (of_public, of_public, NOTHING)
            if key[0] in telling
            else (everything[key], of_public, hidden.get(key, NOTHING))
        )
        cell = guard(*parts, chances.get(key), guessing.get(key))
        if cell["n"]:
            cells.setdefault(key[0], {})[key[1]] = cell
    return cells


def _divided(within: RunTally) -> tuple[RunTally, RunTally, RunTally]:
    """The tally over all items, over the public ones and over the hidden ones."""
    is_hidden = within.facts.is_hidden
    return within, within.within(~is_hidden), within.within(is_hidden)


def _by_facet(part: RunTally, names: list[str]) -> Groups:
    return by_facet(part, names) if len(part.places) else {}


def guarded(
    everything: Tallies,
    public: Tallies,
    hidden: Tallies,
    chance: float | None,
    guessing: float | None,
    *,
    seeds: int,
    is_points: bool,
) -> StoredCell:
    """The cell that may be shown: exact without hidden items, over public items if few are hidden, else rounded."""
    return guarded_cell(
        _items(everything, seeds),
        _items(hidden, seeds),
        everything=lambda: cell_of(everything, chance, guessing, is_points=is_points),
        public=lambda: cell_of(public, chance, guessing, is_points=is_points),
    )


def guarded_cell(
    items: int, hidden: int, *, everything: Callable[[], StoredCell], public: Callable[[], StoredCell]
) -> StoredCell:
    """The cell over so many items, of which so many are hidden, as it may be shown; of models and people alike."""
    if hidden < FEWEST:
        return public() if hidden else everything()
    return _rounded(everything(), step_of(items))


def _items(tallies: Tallies, seeds: int) -> int:
    return int(tallies[:, ClipTally._fields.index("n")].sum()) // max(1, seeds)


def _rounded(cell: StoredCell, step: float) -> StoredCell:
    """The cell rounded to the step, without scores by correct answer, p-value and signal detection."""
    figures = {name: cell[name] for name in EXACT if name in cell} | {"step": step}
    figures |= {name: _to(cell[name], step, round) for name in ROUNDED if name in cell}
    return figures | {"low": _to(cell["low"], step, math.floor), "high": _to(cell["high"], step, math.ceil)}


def _to(value: float | None, step: float, how: Callable[[float], int]) -> float | None:
    """The value at a multiple of the step, within 0 to 1 and without floating-point residue."""
    return None if value is None else min(1.0, max(0.0, round(how(round(value / step, 9)) * step, 6)))
