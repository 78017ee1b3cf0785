"""The probabilities of answers (measures/detection/margins.py): margins stored with rows, and the curve of calibration.

Only items with two options and a public answer count: figures would reveal a hidden answer.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.registry import telling
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.item_arrays import Mask, PackFacts, Places
from evaluation.models import ModelResponse, Run
from evaluation.prompting.strategies import find_strategy
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View, view_of
from leaderboard.board.rows import rows_of_standings, with_strategy
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.comparison.answers import against_chance, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.exports.table import Table, Value
from leaderboard.standings.human_rows import MARGIN
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
    strategy = find_strategy(run.pack.benchmark, run.strategy)
    if strategy is None or not strategy.by_likelihood:
        return None
    responses = ModelResponse.objects.filter(cell__run=run, margin__isnull=False).order_by()
    rows = np.array(list(responses.values_list("cell__item_id", "margin")), float).reshape(-1, 2)
    is_first, has_two = _first_options(run)
    places = facts.places(rows[:, 0].astype(np.int64))
    counts = (has_two & facts.is_askable & ~facts.is_hidden)[places]
    if not counts.any():
        return None
    return RunMargins(places[counts], rows[counts, 1], is_first, facts, telling(run.pack.benchmark))


def _first_options(run: Run) -> tuple[Mask, Mask]:
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


Found = list[tuple[StrategyName, BoardRow]]


def rows_by_likelihood(view: View) -> Found:
    """Rows of the level with figures of margins, each with its strategy; people once, and first."""
    found: Found = []
    for name in view.level.strategies:
        strategy = view.benchmark.strategy(name)
        if strategy.by_likelihood:
            condition = "text" if strategy.condition == "text" else view.condition
            rows = rows_of_standings(replace(with_strategy(view, strategy), condition=condition))
            found += [(strategy, row) for row in rows if margin_in(row)]
    people = {row.key: (strategy, row) for strategy, row in found if row.kind.of_people}
    models = [one for one in found if not one[1].kind.of_people]
    return [*people.values(), *sorted(models, key=lambda model: -margin_in(model[1])["area"]["value"])]


def margin_in(row: BoardRow) -> dict[str, Any]:
    """The row's figures of margins, as stored; {} if it has none."""
    return row.overall.facts.get(MARGIN, {}) if row.overall else {}


def likelihood_section(view: View) -> ReportSection:
    """The table of all figures; people have only an area, since confidence is no probability."""
    found = rows_by_likelihood(view)
    curves = [(row.name, bins) for _strategy, row in found if (bins := margin_in(row).get("bins"))]
    lines = [_line(strategy, row) for strategy, row in found]
    return ReportSection(
        badge="likelihoods",
        title="Likelihoods",
        heads=(
            "Prompting",
            *("n", "Accuracy at 0.5, %", "AUC", "low", "high"),
            *("d′", "low", "high", "Criterion", "low", "high"),
            *("Brier score", "low", "high", "Calibration error"),
        ),
        lines=lines,
        answer=against_chance(scored(lines, (2, 3, 4)), 0.5, " AUC"),
        note=(
            "AUC: how often an item whose answer is yes gets a higher probability of yes than one whose answer is no;"
            " no threshold is needed. Low and high: 95 % intervals."
            " People: their confidence, from a sure no to a sure yes."
        ),
        empty="Nobody has been asked for likelihoods on this level yet.",
        charts=(calibration_chart(curves),) if curves else (),
    )


def _line(strategy: StrategyName, row: BoardRow) -> ReportLine:
    figures = margin_in(row)
    if row.kind.of_people:
        parts: tuple[Value, ...] = (None, *_with_ends(figures, "area"), *[None] * 10)
        return ReportLine(row, ("confidence after each answer",), (figures["n"], *parts))
    return ReportLine(
        row,
        (str(strategy.title),),
        (
            *(figures["n"], round(100 * figures["accuracy"], 1), *_with_ends(figures, "area")),
            *(*_with_ends(figures, "d_prime"), *_with_ends(figures, "criterion")),
            *(*_with_ends(figures, "brier"), round(figures["error"], 3)),
        ),
    )


def _with_ends(figures: dict[str, Any], name: str) -> tuple[Value, ...]:
    found = (figures[name][part] for part in ("value", "low", "high"))
    return tuple(None if one is None else round(one, 3) + 0.0 for one in found)


Curve = tuple[str, Sequence[dict[str, Any]]]  # a name and its bins, as stored


def calibration_chart(curves: Sequence[Curve]) -> Chart:
    """The curves of the first answerers; a perfectly calibrated one lies on the diagonal."""
    rows = tuple(
        (name, round(100 * one["start"]), round(100 * one["end"]), one["n"], *_shares(one))
        for name, bins in curves
        for one in bins
    )
    title = "Calibration"
    heads = ("Model or group", "From %", "To %", "n", "Mean probability %", "Answer is yes %")
    return Chart(
        title=title,
        form=FREE,
        x=Axis("Probability of yes, in per cent", 0, 100, PER_CENT),
        y=Axis("Answer is yes, in per cent", 0, 100, PER_CENT),
        traces=tuple(Trace(name, tuple(map(_point, bins))) for name, bins in curves[:MOST]),
        table=Table(title, (*heads, "low", "high"), rows),
        note="Ten bins; those without answers are left out. On the diagonal, probabilities are calibrated."
        + (f" The first {MOST} are drawn." if len(curves) > MOST else ""),
        has_lines=True,
        has_diagonal=True,
    )


def _shares(one: dict[str, Any]) -> tuple[float, ...]:
    shares = (one["probability"], one["share"], one["interval"]["low"], one["interval"]["high"])
    return tuple(round(100 * share, 1) for share in shares)


def _point(one: dict[str, Any]) -> Point:
    across, up, low, high = _shares(one)
    return Point(across, up, f"{across:g} %: {up:g} % ({one['n']})", low, high, count=one["n"])


ANALYSIS = BoardAnalysis(
    name="likelihood",
    title="How sure are the answers?",
    lede="The probabilities that models give to yes and no, and how sure people said they were.",
    view=view_of,
    section=likelihood_section,
    key=MARGIN,
    of_run=add_to_run,
    link=BoardLink(
        "Confidence",
        "Likelihoods and calibration",
        lambda view: has_strategy(view, lambda one: one.by_likelihood),
        ("level", "pack"),
    ),
)
