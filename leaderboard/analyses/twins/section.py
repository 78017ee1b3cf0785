"""Twins: accuracy over pairs of clips, from one question per clip or from a choice between the two."""

from typing import Any

from benchmarks.packs.item_arrays import ALL
from leaderboard.analyses.twins.figures import TWINS
from leaderboard.board.query import View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import by_group, rows_holding
from leaderboard.exports.table import Value


def twins_section(view: View) -> ReportSection:
    """A line for each row of the level over all pairs, then by value of the view's facet; the highest share first."""
    rows = [
        ((standing, row), standing.overall[TWINS])
        for standing, row in rows_holding(view, TWINS, view.level.strategies, (view.condition,))
    ]
    rows.sort(key=lambda one: (-one[1][ALL]["both"]["score"], one[0][1].name))
    return ReportSection(
        badge="twins",
        title="Twins",
        heads=(
            *("Prompting", view.benchmark.facet(view.group).title),
            *("Pairs", "Both right, %", "low", "high"),
            *("Single, %", "low", "high"),
        ),
        lines=[
            ReportLine(row, (str(view.benchmark.strategy(standing.strategy).title), title), _figures(found))
            for (standing, row), title, found in by_group(view, rows)
        ],
        note=(
            "Twins are the plausible and the implausible clip of one draw. Both right: chance 25 %; single: each of the"
            " two, chance 50 %. Intervals take each pair as one observation."
        ),
        empty="Nobody has answered both clips of a pair here. Only packs made here have matched twins.",
        turned=("Columns",),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    ends = (found[name][part] for name in ("both", "single") for part in ("score", "low", "high"))
    return (found["pairs"], *(round(100 * one, 1) for one in ends))
