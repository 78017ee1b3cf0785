"""The figures of rows that name the second of a violation, over all clips and by test or concept."""

from typing import Any

from benchmarks.packs.item_arrays import ALL
from leaderboard.analyses.moments.figures import MOMENT
from leaderboard.board.query import View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import by_group, rows_apart, view_apart
from leaderboard.exports.table import Value


def moment_view(view: View) -> View:
    """The view of the benchmark's strategy that asks for moments; BadAddress if it has none on this level."""
    return view_apart(view, [one for one in view.benchmark.strategies if one.by_moment])


def moment_section(view: View) -> ReportSection:
    """A line for each row over all clips, then by value of the view's facet; the most hits first."""
    rows = [(row, figures) for row, figures in rows_apart(view, MOMENT) if figures[ALL]]
    rows.sort(key=lambda one: (-(one[1][ALL]["hits"] or 0.0), one[0].name))
    return ReportSection(
        badge="moments",
        title="Moments",
        heads=(
            view.benchmark.facet(view.group).title,
            *("Clips", "Hits, %", "low", "high"),
            *("False alarms, %", "low", "high", "d′", "Criterion"),
            *("Median error, s", "Mean lag, s", "low", "high"),
            *("First press, s", "low", "high", "Unparsed, %"),
        ),
        lines=[ReportLine(row, (title,), _figures(found)) for row, title, found in by_group(view, rows)],
        note=(
            "A hit names a second within half a second of the stretch from the violation to the moment at which a"
            " viewer can know. A false alarm names one in a possible clip. The error counts from the knowable"
            " moment; a negative lag is before anybody could know. First press: the mean lag of people's first"
            " presses."
        ),
        empty="Nobody has been asked for moments here yet.",
        turned=("Columns",),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    return (
        *(found["n"], *_share(found, "hits"), *_share(found, "alarms")),
        *(_rounded(found[name]) for name in ("d_prime", "criterion", "error")),
        *_mean(found, "lead"),
        *_mean(found, "press"),
        round(100 * found["unread"], 1),
    )


def _share(found: dict[str, Any], name: str) -> tuple[Value, ...]:
    if found[name] is None:
        return (None, None, None)
    ends = found[f"{name}_interval"]
    return tuple(round(100 * one, 1) for one in (found[name], ends["low"], ends["high"]))


def _mean(found: dict[str, Any], name: str) -> tuple[Value, ...]:
    """The mean with its interval, which few clips or people have not."""
    ends = found[f"{name}_interval"] or {}
    return tuple(_rounded(one) for one in (found[name], ends.get("low"), ends.get("high")))


def _rounded(value: float | None) -> Value:
    return None if value is None else round(value, 2) + 0.0
