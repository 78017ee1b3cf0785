"""The effect of wording on accuracy: a line for each row whose questions were asked in several wordings."""

from typing import Any

from leaderboard.analyses.wordings.figures import WORDINGS
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import rows_of_level
from leaderboard.exports.table import Value

Found = list[tuple[BoardRow, str, dict[str, Any]]]  # row, title of the strategy, figures


def rows_by_wording(view: View) -> Found:
    """The rows of the level that were asked in several wordings, the widest spread first."""
    found = [
        (row, view.benchmark.strategy(run.strategy).title, figures)
        for row, run, figures in rows_of_level(view, WORDINGS)
    ]
    return sorted(found, key=lambda one: -one[2]["own"])


def wording_section(found: Found) -> ReportSection:
    return ReportSection(
        badge="wordings",
        title="Spread over wordings",
        heads=(
            "Prompting",
            *("n", "Wordings", "Mean, %", "Lowest, %", "Highest, %"),
            *("Standard deviation, points", "by chance alone", "of the wording", "low", "high"),
        ),
        lines=[ReportLine(row, (str(title),), _line(figures)) for row, title, figures in found],
        note=(
            "Each question in all wordings, the options in different orders among them. Accuracies also differ by"
            " chance: the effect of the wording is the remainder, with its 95 % interval. If that contains 0, no"
            " effect of wording is shown."
        ),
        empty="No model was asked in several wordings on this level: start a run with a strategy in -wordings.",
    )


def _line(figures: dict[str, Any]) -> tuple[Value, ...]:
    scores = [one["score"] for one in figures["each"]]
    shares = (sum(scores) / len(scores), min(scores), max(scores))
    spread = (figures[name] for name in ("seen", "chance", "own", "low", "high"))
    return (
        *(figures["n"], len(scores), *(round(100 * share, 1) for share in shares)),
        *(None if one is None else round(100 * one, 1) for one in spread),
    )
