"""Figures of a run's margins (measures/detection/margins.py), stored in its cells when its standings are computed.

Only items with two options and a public answer count: figures would reveal a hidden answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.registry import telling
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.item_arrays import Mask, PackFacts, Places
from evaluation.models import ModelResponse, Run
from evaluation.prompting.strategies import STRATEGIES
from humantrials.results.judgments import JudgmentRow
from leaderboard.standings.stored_cells import StoredCell, rounded
from measures.estimate import MarginFigures, area_of_confidence, figures_of_margins

KEY = "margin"  # of a stored cell
SHORT = ("n", "area")  # keys that cells of facets keep


YES_NO = ("yes", "no")


class ConfidentAnswer(NamedTuple):
    """One answer of a person: whether yes is right, the confidence (negative for no), the person and the item."""

    is_yes: bool
    rating: int
    person: str
    item: int


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


def add_margins(overall: StoredCell, cells: dict[str, dict[str, StoredCell]], margins: RunMargins, split: str) -> None:
    """Add the figures on this split to the overall cell and the levels, and the area to each cell of a facet."""
    within = margins.facts.with_facet("split", split)
    if found := margins.figures(within):
        overall[KEY] = rounded(asdict(found))
    for name in cells.keys() - margins.telling - {"split"}:
        for value, cell in cells[name].items():
            if found := margins.figures(within & margins.facts.with_facet(name, value)):
                whole = rounded(asdict(found))
                cell[KEY] = whole if name == "level" else {figure: whole[figure] for figure in SHORT}


def add_confidence(cells: dict[str, dict[str, StoredCell]], answers: Sequence[ConfidentAnswer]) -> None:
    """Add to the levels the area of people's confidence: a sure yes ranks above an unsure one, a sure no below."""
    if len({is_yes for is_yes, *_ in answers}) < 2:
        return
    area = area_of_confidence(*zip(*answers, strict=True))
    for cell in cells.get("level", {}).values():
        cell[KEY] = rounded({"n": len(answers), "area": asdict(area)})


def confident_answers(rows: Iterable[JudgmentRow], expected: Mapping[int, str | None]) -> list[ConfidentAnswer]:
    """The yes/no answers of people who said how sure they were, to items with a public answer."""
    return [
        ConfidentAnswer(
            expected[row.item_id] == "yes",
            row.confidence if row.answer == "yes" else -row.confidence,
            row.participant_code,
            row.item_id,
        )
        for row in rows
        if row.confidence is not None and row.answer in YES_NO and expected.get(row.item_id) in YES_NO
    ]
