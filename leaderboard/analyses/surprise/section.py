"""Rows of prediction models: their figures of surprise over all pairs and by test or concept."""

from typing import Any

from benchmarks.packs.item_arrays import ALL
from leaderboard.analyses.surprise.figures import SURPRISE
from leaderboard.board.query import View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import by_group, rows_apart, view_apart
from leaderboard.exports.table import Value

SHARES = ("relative_mean", "relative_most", "absolute_most", "area_mean", "area_most")
PRECISIONS = ("precision_mean", "precision_most")


def surprise_view(view: View) -> View:
    """The view of the benchmark's strategy by surprise; BadAddress if it has none on this level."""
    return view_apart(view, [one for one in view.benchmark.strategies if one.by_surprise])


def surprise_section(view: View) -> ReportSection:
    """A line for each run over all pairs, then by value of the view's facet; the highest relative accuracy first."""
    rows = [(row, figures) for row, figures in rows_apart(view, SURPRISE) if figures[ALL]]
    rows.sort(key=lambda one: (-one[1][ALL]["relative_mean"], one[0].name))
    facet = view.benchmark.facet(view.group)
    return ReportSection(
        badge="surprises",
        title="Surprise",
        heads=(
            facet.title,
            *("Pairs", "Relative accuracy, mean, %", "low", "high"),
            *("Relative accuracy, maximum, %", "Absolute accuracy, maximum, %"),
            *("AUROC, mean, %", "AUROC, maximum, %", "AUPRC, mean, %", "AUPRC, maximum, %"),
        ),
        lines=[ReportLine(row, (title,), _figures(found)) for row, title, found in by_group(view, rows)],
        note=(
            "A pair is right where the possible clip surprises less than its impossible twin, by the mean or the"
            " maximum over its windows; ties are wrong. Chance: 50 %. Twins of the official clips"
            " share test and number alone."
        ),
        empty="No prediction model has been asked here yet.",
        turned=("Columns",),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    shares = {name: round(100 * found[name], 1) for name in (*SHARES, *PRECISIONS)}
    ends = found["relative_mean_interval"]
    return (
        *(found["pairs"], shares["relative_mean"], round(100 * ends["low"], 1), round(100 * ends["high"], 1)),
        *(shares["relative_most"], shares["absolute_most"], shares["area_mean"], shares["area_most"]),
        *(shares[name] for name in PRECISIONS),
    )
