"""Scores of groups of questions, beside the scores of their questions in each cell of a row."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.packs.item_arrays import Mask, PackFacts
from evaluation.models import Run
from evaluation.runs.group_results import PackGroup, groups_of, scored_groups
from leaderboard.standings.hidden_scores import NOTHING, guarded
from leaderboard.standings.stored_cells import StoredCell
from leaderboard.standings.tallies import LABELS, ClipTally, Tallies, scores_of

STORED = ("score", "n", "low", "high", "chance", "p", "step")
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
        return {name: cell[name] for name in STORED if name in cell} | {"incomplete": incomplete}


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
