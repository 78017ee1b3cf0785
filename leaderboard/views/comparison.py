"""The page that compares two rows; its query string names them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard.board.cell_display import chance_of_as_much
from leaderboard.board.query import FORMATS, BadAddress, page_number
from leaderboard.charts.chart import FREE, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.charts.drawing import drawing_of
from leaderboard.charts.plotly_figure import plotly_figure
from leaderboard.charts.plotly_frame import frame, framed
from leaderboard.comparison import report
from leaderboard.exports import provenance, writers
from leaderboard.exports.table import Table, in_per_cent, text_of
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.standings.paired_differences import ESTIMATOR
from leaderboard.views.boards import not_there

WIDTH = 320  # of the scatter, in the drawing's units: its width on the page


def compare(request: HttpRequest) -> HttpResponse:
    """Page to choose two rows, then with their difference by facet value and the items behind it."""
    given = {name: request.GET.get(name, "") for name in ("a", "b", "group", "page", "format")}
    try:
        return _shown(request, given)
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("compare"))


def compare_points(request: HttpRequest) -> HttpResponse:
    """The scatter of items as a Plotly figure, in JSON."""
    try:
        first, second = (report.find_row(request.GET.get(name, "")) for name in ("a", "b"))
        why_not = report.why_not(first, second)
        found = None if why_not else report.compare(first, second)
    except BadAddress as mistake:
        return writers.json_response({"detail": str(mistake)}, status=404)
    if found is None:
        return writers.json_response({"detail": why_not or "no item was answered by both"}, status=404)
    return writers.json_response(plotly_figure(scatter_of(found)))


@framed
def compare_frame(request: HttpRequest) -> HttpResponse:
    """The page in the frame that mounts the Plotly figure."""
    return frame(request, figure=f"{reverse('compare-points')}?{request.GET.urlencode()}")


def scatter_of(found: report.ComparisonReport) -> Chart:
    """Scatter chart of the items by their two scores; a larger dot stands for more items."""
    points = tuple(
        Point(
            100 * one.first,
            100 * one.second,
            f"{one.count} items: {one.first:.0%} and {one.second:.0%}",
            count=one.count,
        )
        for one in report.bubbles(found.pairs)
    )
    table = table_of(found)
    return Chart(
        title=table.title,
        form=FREE,
        x=Axis(f"{found.first.name}, score in per cent", -5, 105, PER_CENT),
        y=Axis(f"{found.second.name}, score in per cent", -5, 105, PER_CENT),
        traces=(Trace(table.title, points),),
        table=table,
        has_diagonal=True,
        width=WIDTH,
    )


def _shown(request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    first, second = (report.find_row(given[name]) if given[name] else None for name in ("a", "b"))
    context: dict[str, Any] = {
        "section": "boards",
        "choices": report.rows_to_choose(),
        "a": given["a"],
        "b": given["b"],
    }
    if not first or not second:
        return render(request, "leaderboard/compare.html", context | {"why_not": ""})
    why_not = report.why_not(first, second)
    found = None if why_not else report.compare(first, second, given["group"])
    if found is None:
        why_not = why_not or f"No item was answered by both: {first.asked} and {second.asked} ask different questions."
        return render(request, "leaderboard/compare.html", context | {"why_not": why_not})
    if given["format"]:
        return _download(found, given["format"])
    context |= {
        "found": found,
        "flips": report.flips(found, page_number(given["page"] or "1")),
        "drawing": drawing_of(scatter_of(found)),
        "formats": FORMAT_NAMES.items(),
        "query": f"a={first.key}&b={second.key}&group={found.facet.name}",
    }
    return render(request, "leaderboard/compare.html", context)


def _download(found: report.ComparisonReport, wanted: str) -> HttpResponse:
    if wanted not in FORMATS:
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
    return writers.response(table_of(found), wanted, name=f"compare-{found.first.key}-{found.second.key}")


def table_of(found: report.ComparisonReport) -> Table:
    """Table of the comparison, overall and by facet value; shares in per cent, differences in points."""
    heads = (
        found.facet.title,
        "n",
        "Clips",
        "First %",
        "Second %",
        "Difference",
        "Low",
        "High",
        "p",
        "p (Holm)",
        "Test",
    )
    rows = [("Overall", found.overall, None), *((each.title, each.difference, each.p_holm) for each in found.groups)]
    full = tuple(
        (
            title,
            both.n,
            both.clips,
            *(in_per_cent(x) for x in (both.first, both.second, both.value, both.interval.low, both.interval.high)),
            both.p,
            p_holm,
            both.test,
        )
        for title, both, p_holm in rows
    )
    printed = tuple((*map(text_of, row[:8]), *map(chance_of_as_much, row[8:10]), str(row[10])) for row in full)
    path = f"/compare/?a={found.first.key}&b={found.second.key}&group={found.facet.name}"
    chosen = f"{found.first.key}, {found.second.key}"
    made_of = provenance.of(found.benchmark, path, pack=found.first.pack, rows=chosen, columns=found.facet.name)
    models = [each.run.model for each in (found.first, found.second) if each.run]
    made_of = provenance.with_papers(made_of, ((model.name, model.paper) for model in models))
    notes = (
        f"First: {found.first.name}, {found.first.asked} ({found.first.key}). "
        f"Second: {found.second.name}, {found.second.asked} ({found.second.key}).",
        "Paired by item, on the items of one pack that both answered; difference = first - second, in points; "
        f"95 % interval: {ESTIMATOR}. Holm over the values in this table.",
    )
    title = f"{found.benchmark.title}: {found.first.name} and {found.second.name}"
    return Table(title, heads, full, notes, heads, printed, provenance=made_of)
