"""Figures of answer probabilities: a line for each row by likelihood of a level, and people's confidence."""

from dataclasses import replace
from typing import Any

from benchmarks.definitions.definition import StrategyName
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import View
from leaderboard.board.rows import rows_of_standings, with_strategy
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.exports.table import Value

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
    return [*people.values(), *sorted(models, key=lambda one: -margin_in(one[1])["area"]["value"])]


def margin_in(row: BoardRow) -> dict[str, Any]:
    """The row's figures of margins, as stored; {} if it has none."""
    return row.overall.facts.get("margin", {}) if row.overall else {}


def likelihood_section(found: Found) -> ReportSection:
    """The table of all figures; people have only an area, since confidence is no probability."""
    return ReportSection(
        badge="likelihoods",
        title="Likelihoods",
        heads=(
            "Prompting",
            *("n", "Accuracy at 0.5, %", "AUC", "low", "high"),
            *("d′", "low", "high", "Criterion", "low", "high"),
            *("Brier score", "low", "high", "Calibration error"),
        ),
        lines=[_line(strategy, row) for strategy, row in found],
        note=(
            "AUC: how often an item whose answer is yes gets a higher probability of yes than one whose answer is no;"
            " no threshold is needed. Low and high: 95 % intervals."
            " People: their confidence, from a sure no to a sure yes."
        ),
        empty="Nobody has been asked for likelihoods on this level yet.",
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
