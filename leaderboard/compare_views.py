"""The page of two rows side by side; its address is the comparison."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard import formats, provenance, versus
from leaderboard.address import FORMATS, BadAddress, page_number
from leaderboard.chart_files import points_of
from leaderboard.charts import FREE, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.frames import frame, framed
from leaderboard.marks import chance_of_as_much
from leaderboard.tables import Table, in_per_cent, text_of
from leaderboard.views import not_there
from leaderboard.words import FORMATS as FORMAT_NAMES

EDGE, MOST = 200, 14  # of the drawing: its side, and the radius of its largest bubble


def compare(request: HttpRequest) -> HttpResponse:
    """Choose two rows; then their difference by facet value, where they differ, and the items behind it."""
    given = {name: request.GET.get(name, "") for name in ("a", "b", "group", "page", "format")}
    try:
        return _shown(request, given)
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("compare"))


def compare_points(request: HttpRequest) -> HttpResponse:
    """What the interactive scatter of items is drawn from."""
    try:
        first, second = (versus.find_row(request.GET.get(name, "")) for name in ("a", "b"))
        why_not = versus.why_not(first, second)
        found = None if why_not else versus.compare(first, second)
    except BadAddress as mistake:
        return formats.json_response({"detail": str(mistake)}, status=404)
    if found is None:
        return formats.json_response({"detail": why_not or "no item was answered by both"}, status=404)
    return formats.json_response(points_of(scatter_of(found)))


@framed
def compare_frame(request: HttpRequest) -> HttpResponse:
    """Plotly's scatter of the items that both answered."""
    points = f"{reverse('compare-points')}?{request.GET.urlencode()}"
    return frame(request, points=points, script="js/plot-chart.js")


def scatter_of(found: versus.Comparison) -> Chart:
    """Items by the two scores; the larger a dot, the more items."""
    dots = versus.bubbles(found.pairs, EDGE, MOST)
    points = tuple(
        Point(100 * dot.first, 100 * dot.second, f"{dot.count} items: {dot.first:.0%} and {dot.second:.0%}",
              count=dot.count) for dot in dots
    )  # fmt: skip
    table = table_of(found)
    return Chart(
        title=table.title,
        form=FREE,
        x=Axis(f"{found.first.name}, score in per cent", -5, 105, PER_CENT),
        y=Axis(f"{found.second.name}, score in per cent", -5, 105, PER_CENT),
        traces=(Trace(table.title, points),),
        table=table,
        has_diagonal=True,
    )


def _shown(request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    first, second = (versus.find_row(given[name]) if given[name] else None for name in ("a", "b"))
    context: dict[str, Any] = {
        "section": "boards",
        "choices": versus.rows_to_choose(),
        "a": given["a"],
        "b": given["b"],
    }
    if not first or not second:
        return render(request, "leaderboard/compare.html", context | {"why_not": ""})
    why_not = versus.why_not(first, second)
    found = None if why_not else versus.compare(first, second, given["group"])
    if found is None:
        why_not = why_not or f"No item was answered by both: {first.asked} and {second.asked} ask different questions."
        return render(request, "leaderboard/compare.html", context | {"why_not": why_not})
    if given["format"]:
        return _download(found, given["format"])
    context |= {
        "found": found,
        "flips": versus.flips(found, page_number(given["page"] or "1")),
        "bubbles": versus.bubbles(found.pairs, EDGE, MOST),
        "edge": EDGE,
        "formats": FORMAT_NAMES.items(),
        "query": f"a={first.key}&b={second.key}&group={found.facet.name}",
    }
    return render(request, "leaderboard/compare.html", context)


def _download(found: versus.Comparison, wanted: str) -> HttpResponse:
    if wanted not in FORMATS:
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
    return formats.response(table_of(found), wanted, name=f"compare-{found.first.key}-{found.second.key}")


def table_of(found: versus.Comparison) -> Table:
    """Overall and a row a facet value; shares in per cent, differences in points."""
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
            title, both.n, both.clips,
            *(in_per_cent(x) for x in (both.first, both.second, both.value, both.interval.low, both.interval.high)),
            both.p, p_holm, both.test,
        )
        for title, both, p_holm in rows
    )  # fmt: skip
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
        "95 % interval: t on clips. Holm over the values in this table.",
    )
    title = f"{found.benchmark.title}: {found.first.name} and {found.second.name}"
    return Table(title, heads, full, notes, heads, printed, provenance=made_of)
