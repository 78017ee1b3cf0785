"""Rows of prediction models: their figures of surprise over all pairs and by test or concept."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from benchmarks.definitions.definition import StrategyName
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import BadAddress, View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.exports.table import Value
from leaderboard.models import Standing
from leaderboard.standings.surprises import ALL, SURPRISE

SHARES = ("relative_mean", "relative_most", "absolute_most", "area_mean", "area_most")
PRECISIONS = ("precision_mean", "precision_most")


def surprise_view(view: View) -> View:
    """The view of the benchmark's strategy by surprise; BadAddress if it has none on this level."""
    return view_apart(view, [one for one in view.benchmark.strategies if one.by_surprise])


def view_apart(view: View, strategies: Sequence[StrategyName]) -> View:
    """The view of the strategy of these that belongs to its level, which boards of accuracy leave out."""
    found = [one for one in strategies if one.level == view.level.number]
    if not found:
        raise BadAddress(f"{view.benchmark.title}, level {view.level.number}, has no such questions")
    split = view.split if view.split in found[0].splits else found[0].splits[0]
    return replace(view, strategy=found[0], split=split)


def surprise_section(view: View) -> ReportSection:
    """A line for each run over all pairs, then by value of the view's facet; the highest relative accuracy first."""
    rows = [(row, figures) for row, figures in rows_apart(view, SURPRISE) if figures[ALL]]
    rows.sort(key=lambda one: (-one[1][ALL]["relative_mean"], one[0].name))
    facet = view.benchmark.facet(view.group)
    return ReportSection(
        mark="surprises",
        title=_("Surprise"),
        heads=(
            facet.title,
            *(_("Pairs"), _("Relative accuracy, mean, %"), _("low"), _("high")),
            *(_("Relative accuracy, maximum, %"), _("Absolute accuracy, maximum, %")),
            *(_("AUROC, mean, %"), _("AUROC, maximum, %"), _("AUPRC, mean, %"), _("AUPRC, maximum, %")),
        ),
        lines=[
            ReportLine(row, (title,), _figures(found))
            for row, figures in rows
            for title, found in by_group(view, figures)
        ],
        note=_(
            "A pair is right where the possible clip surprises less than its impossible twin, by the mean or the"
            " maximum over its windows; ties are wrong. Chance: 50 %. Twins of the official clips"
            " share test and number alone."
        ),
        empty=_("No prediction model has been asked here yet."),
        turned=("Columns",),
    )


def by_group(view: View, figures: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Title and figures of all items, then of each value of the view's facet that has any."""
    yield _("all"), figures[ALL]
    known = figures.get(view.group, {})
    yield from ((one.title, known[one.value]) for one in view.benchmark.facet(view.group).values if one.value in known)


def rows_apart(view: View, key: str) -> Iterator[tuple[BoardRow, dict[str, Any]]]:
    """The runs of the view that have figures under this key, each with them."""
    if view.pack is None:
        return
    found = Standing.objects.filter(
        pack=view.pack, split=view.split, strategy=view.strategy.name, condition=view.condition, run__isnull=False
    )
    for one in found.select_related("run__model").order_by("pk"):
        if one.run and key in one.overall:
            row = BoardRow(f"run-{one.run.pk}", one.name, one.kind, {}, None, link=one.run.get_absolute_url())
            yield row, one.overall[key]


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    shares = {name: round(100 * found[name], 1) for name in (*SHARES, *PRECISIONS)}
    ends = found["relative_mean_interval"]
    return (
        *(found["pairs"], shares["relative_mean"], round(100 * ends["low"], 1), round(100 * ends["high"], 1)),
        *(shares["relative_most"], shares["absolute_most"], shares["area_mean"], shares["area_most"]),
        *(shares[name] for name in PRECISIONS),
    )
