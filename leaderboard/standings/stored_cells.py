"""Cells of a board, computed from tallies: score, n, interval, unparsed share, bias and test against chance.

Figures over hidden answers are rounded so that no single answer can be inferred (decision 0012).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.packs.item_arrays import ALL, Chances, Mask, PackFacts
from evaluation.models import Run
from evaluation.runs.results import PackGroup, groups_of, scored_groups
from evaluation.runs.tallies import LABELS, ClipTally, RunTally, Tallies, by_facet, overall, scores_of
from measures.estimate import Column, detection, estimate, pair_labels
from measures.figures import Figure, PeopleFigure

StoredCell = dict[str, Any]
DIGITS = 6  # of figures beside the score


@dataclass(frozen=True)
class UnstoredStanding:
    """The values of a standing that is not stored yet."""

    split: str
    kind: str
    name: str
    strategy: str
    condition: str
    overall: StoredCell
    cells: dict[str, dict[str, StoredCell]]
    revision: str = ""
    identity: str = ""
    extremes: bytes | None = None  # leaderboard/standings/item_scores.py; with a run's own split
    item_scores: Mapping[str, bytes] = field(default_factory=dict)  # by dimension; with a run's own split


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def cell_in(stored: StoredCell | None, *, dimension: str, caution: str) -> StoredCell | None:
    """The part of a stored cell for one dimension ('' = all) and with the items under caution in or out."""
    if stored is not None and dimension:
        stored = stored.get("dimensions", {}).get(dimension)
    if stored is not None and caution == "out" and "careful" in stored:
        stored = stored["careful"]
    return None if stored is None or stored["score"] is None else stored


def cell_of(
    tallies: Sequence[ClipTally[float]] | Tallies,
    chance: float | None = None,
    guessing: float | None = None,
    *,
    is_points: bool = False,
) -> StoredCell:
    """One cell, clustered by clip or dyad since questions about it are not independent; p tests against `guessing`.

    Points of a referee have their own kind of interval, and are marked.
    """
    table = np.asarray(tallies, float).reshape(-1, len(ClipTally._fields))
    sums, columns = ClipTally(*table.sum(axis=0).tolist()), ClipTally(*table.T)
    figure_of = partial(estimate, labels=pair_labels(columns.first, columns.second), is_points=is_points)
    whole = figure_of(columns.total, columns.n, chance=guessing)
    return {
        **stored_figure(whole),
        **({} if whole is None or whole.p is None else {"p": whole.p, "guessing": whole.chance}),
        **({"points": True} if is_points else {}),
        "clips": whole.clips if whole else 0,
        "unread": share(sums.unread, sums.n),
        "chance": chance,
        # Absent if no reply has a known example.
        **({"repeats": sums.repeats / sums.exampled} if sums.exampled else {}),
        **_bias_of(sums, columns, figure_of, is_points=is_points),
    }


def stored_figure(figure: Figure | PeopleFigure | None) -> StoredCell:
    """Score, n and interval as fields of a cell."""
    if figure is None or figure.score is None:
        return {"score": None, "n": 0, "low": None, "high": None}
    return {"score": figure.score, "n": figure.n, "low": figure.interval.low, "high": figure.interval.high}


def _bias_of(
    sums: ClipTally[float], columns: ClipTally[Column], figure_of: Callable[..., Figure | None], *, is_points: bool
) -> StoredCell:
    """Yes rate, signal detection and the scores by correct answer; empty without yes/no questions.

    A referee's points count no hits: it may give some to a no where yes is right.
    """
    if not sums.yes_no:
        return {}
    alarms = sums.yes - sums.positive_total
    return {
        "yes": sums.yes / sums.yes_no,
        # An unparsed reply does not count as yes: it lowers hits and false alarms alike.
        **({} if is_points else sensitivity(sums.positive_total, sums.positive_n, alarms, sums.negative_n)),
        "positive": stored_figure(figure_of(columns.positive_total, columns.positive_n)),
        "negative": stored_figure(figure_of(columns.negative_total, columns.negative_n)),
    }


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as fields of a cell; empty if one kind of question is missing."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


def rounded(value: Any) -> Any:
    """Figures as JSON, rounded to `DIGITS`; an unknown end of an interval is None."""
    if isinstance(value, Mapping):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    if isinstance(value, float):
        return round(value, DIGITS) if np.isfinite(value) else None
    return value


def by_value(
    figures_of: Callable[[Mask], StoredCell | None], facts: PackFacts, groups: Sequence[str], split: str
) -> StoredCell:
    """The figures on this split: over all its items, and by each value of these facets that has any."""
    within = facts.with_facet("split", split)
    parts = {
        name: {value: figures_of(within & facts.with_facet(name, value)) for value in facts.values_of(name)}
        for name in groups
    }
    known = {name: {value: part for value, part in values.items() if part} for name, values in parts.items()}
    return {ALL: figures_of(within), **known}


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
    everything, public, hidden = map(overall, _divided(within))
    guard = partial(guarded, seeds=seeds, is_points=within.is_points)
    return guard(everything, public, hidden, chance, chance)


def facet_cells(
    within: RunTally, names: list[str], chances: Chances, guessing: Chances, *, telling: frozenset[str], seeds: int
) -> dict[str, dict[str, StoredCell]]:
    """facet -> value -> cell; facets that reveal an answer count only public items."""
    everything, public, hidden = (by_facet(part, names) for part in _divided(within))
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


OF_GROUPS = ("score", "n", "low", "high", "chance", "p", "step")
WIDTH = len(ClipTally._fields)


@dataclass(frozen=True)
class GroupTally:
    """A run's group scores: for each group with a score a row of sums, and its questions' places in the pack."""

    sums: Tallies
    chances: NDArray[np.float64]
    is_hidden: Mask  # over the groups
    members: list[NDArray[np.int64]]
    unfinished: list[NDArray[np.int64]]  # the questions of each incomplete group

    def cell(self, items: Mask, *, seeds: int, only_public: bool = False) -> StoredCell | None:
        """The figure over the groups that lie entirely within these items of the pack; None if there is none."""
        inside = _within(self.members, items)
        incomplete = int(_within(self.unfinished, items).sum())
        public, hidden = self.sums[inside & ~self.is_hidden], self.sums[inside & self.is_hidden]
        everything, is_visible = (public, ~self.is_hidden) if only_public else (self.sums[inside], True)
        counted = self.chances[inside & is_visible]
        if not len(counted) and not incomplete:
            return None
        chance = float(counted.mean()) if len(counted) else None
        hidden = NOTHING if only_public else hidden
        cell = guarded(everything, public, hidden, chance, chance, seeds=seeds, is_points=False)
        return {name: cell[name] for name in OF_GROUPS if name in cell} | {"incomplete": incomplete}


def _within(members: list[NDArray[np.int64]], items: Mask) -> Mask:
    return np.array([items[places].all() for places in members], bool)


def group_tally(run: Run, facts: PackFacts) -> GroupTally | None:
    """The group scores of a run; None if its benchmark has no groups, or a referee scores it."""
    groups = {} if run.referee else groups_of(run.pack, run.strategy)
    if not groups:
        return None
    found = scored_groups(scores_of(run), groups)
    members = [_places(groups[name], facts) for name in found.scores]
    sums = np.zeros((len(members), WIDTH))
    for row, (name, values) in zip(sums, found.scores.items(), strict=True):
        row[:2], row[LABELS:] = (len(values), sum(values)), groups[name].label
    return GroupTally(
        sums=sums,
        chances=np.array([groups[name].chance for name in found.scores], float),
        is_hidden=np.array([facts.is_hidden[places].any() for places in members], bool),
        members=members,
        unfinished=[_places(groups[name], facts) for name in sorted(found.incomplete)],
    )


def _places(group: PackGroup, facts: PackFacts) -> NDArray[np.int64]:
    return facts.places(np.array(group.items, np.int64))


def add_group_cells(
    overall: StoredCell,
    cells: Mapping[str, Mapping[str, StoredCell]],
    tally: GroupTally,
    facts: PackFacts,
    *,
    items: Mask,
    telling: frozenset[str],
    seeds: int,
) -> None:
    """Add the group score of these items to the overall cell, and to each facet cell that holds whole groups."""
    if cell := tally.cell(items, seeds=seeds):
        overall["group"] = cell
    for facet, values in cells.items():
        for value, stored in values.items():
            own = items & facts.with_facet(facet, value)
            if cell := tally.cell(own, seeds=seeds, only_public=facet in telling):
                stored["group"] = cell
