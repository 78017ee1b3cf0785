"""Figures of a run's margins (measures/detection/margins.py), stored in its cells when its standings are computed.

Only items with two options and a public answer count: figures would reveal a hidden answer.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.registry import telling
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.item_arrays import Mask, PackFacts, Places
from evaluation.models import ModelResponse, Run
from evaluation.prompting.strategies import STRATEGIES
from leaderboard.standings.confidence import MARGIN
from leaderboard.standings.stored_cells import UnstoredStanding, rounded
from measures.estimate import MarginFigures, figures_of_margins

SHORT = ("n", "area")  # keys that cells of facets keep


@dataclass(frozen=True)
class RunMargins:
    """The margins of a run with the places of their items, and which items have the first option as their answer."""

    places: Places
    margins: NDArray[np.float64]
    is_first: Mask  # over the pack
    facts: PackFacts
    telling: frozenset[str]

    def figures(self, items: Mask) -> MarginFigures | None:
        """The figures over these items; None without items of both answers."""
        chosen = items[self.places]
        places = self.places[chosen]
        if not len(places):
            return None
        return figures_of_margins(self.margins[chosen], self.is_first[places], self.facts.clusters[places])


def margins_of(run: Run, facts: PackFacts) -> RunMargins | None:
    """The margins of this run on public items; None if it has none, and without a query if its strategy has none."""
    if run.strategy not in STRATEGIES or not STRATEGIES[run.strategy].by_likelihood:
        return None
    responses = ModelResponse.objects.filter(cell__run=run, margin__isnull=False).order_by()
    rows = np.array(list(responses.values_list("cell__item_id", "margin")), float).reshape(-1, 2)
    is_first, has_two = _first_options(run, facts)
    places = facts.places(rows[:, 0].astype(np.int64))
    counts = (has_two & facts.is_askable & ~facts.is_hidden)[places]
    if not counts.any():
        return None
    return RunMargins(places[counts], rows[counts, 1], is_first, facts, telling(run.pack.benchmark))


def _first_options(run: Run, facts: PackFacts) -> tuple[Mask, Mask]:
    """Whether each item's answer is its first option, and whether it has two and an answer."""
    rows = list(with_expected(run.pack.items.order_by("pk"), to=SCORER).values_list("options", "expected"))
    has_two = np.array([len(options or ()) == 2 and expected is not None for options, expected in rows], bool)
    is_first = np.array([bool(options) and options[0] == expected for options, expected in rows], bool)
    return is_first, has_two


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    """Add the figures to the overall cells and the levels, and the area to each cell of a facet."""
    margins = margins_of(run, facts)
    if margins is None:
        return
    for row in rows:
        within = facts.with_facet("split", row.split)
        if found := margins.figures(within):
            row.overall[MARGIN] = rounded(asdict(found))
        for name in row.cells.keys() - margins.telling - {"split"}:
            for value, cell in row.cells[name].items():
                if found := margins.figures(within & facts.with_facet(name, value)):
                    whole = rounded(asdict(found))
                    cell[MARGIN] = whole if name == "level" else {figure: whole[figure] for figure in SHORT}
