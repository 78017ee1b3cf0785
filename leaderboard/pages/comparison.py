"""The page that compares a row with up to five others; its query string names them."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from benchmarks.definitions.registry import find_benchmark
from benchmarks.gallery.page_cache import cached_body
from evaluation.runs.pages.number_format import chance_of_as_much
from leaderboard.board.cache import version_of_items
from leaderboard.board.query import BadAddress, page_number
from leaderboard.charts.chart import FREE, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.charts.difference_chart import difference_chart
from leaderboard.charts.rendering.drawing import drawing_of, page_drawing_of
from leaderboard.comparison import report
from leaderboard.comparison.answers import sentence_of
from leaderboard.comparison.row_choices import KEYS, partners_of, rows_to_choose, slots_of
from leaderboard.exports import provenance, writers
from leaderboard.exports.table import Table, Value, in_per_cent, text_of
from leaderboard.items.item_list import AnswerSource
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.pages.boards import leads_back_to
from leaderboard.pages.charts import as_points
from measures.estimate import ESTIMATOR

WIDTH = 320  # of the scatter, in the drawing's units: its width on the page


@as_points
def compare_points(request: HttpRequest) -> Chart:
    """The scatter of items."""
    first, second = (report.find_row(request.GET.get(name, "")) for name in ("a", "b"))
    why_not = report.why_not(first, second)
    found = None if why_not else report.compare(first, second)
    if found is None:
        raise BadAddress(why_not or "no item was answered by both")
    return scatter_of(found)


def scatter_of(found: report.ComparisonReport) -> Chart:
    """Scatter chart of the items by their two scores; a larger dot stands for more items."""
    points = tuple(
        Point(100 * first, 100 * second, f"{count} items: {first:.0%} and {second:.0%}", count=count)
        for (first, second), count in report.bubbles(found.pairs)
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


@leads_back_to("compare")
def compare(request: HttpRequest) -> HttpResponse:
    """Page to choose rows, then with the differences from the first by facet value and the items behind them."""
    parameters = {name: request.GET.get(name, "") for name in (*KEYS, "group", "page", "format")}
    sources = [report.find_row(parameters[name]) for name in KEYS if parameters[name]]
    if parameters["format"] and len(sources) > 1:
        why_not, found = _compared(sources[0], sources[1:], parameters["group"])
        if not why_not:
            name = "-".join((sources[0].key, *(one.second.key for one in found)))
            return writers.response(table_of(*found), parameters["format"], name=f"compare-{name}")
    context: dict[str, Any] = {"section": "boards"}
    if len(sources) > 1:
        context |= {"sources": sources, "benchmark": find_benchmark(sources[0].pack.benchmark)}
    address = (
        f"{request.path}?{urlencode({name: parameters[name] for name in (*KEYS, 'group', 'page') if parameters[name]})}"
    )
    # Rows of all benchmarks can be chosen.
    body = cached_body(address, version=version_of_items(), make=lambda: _body(sources, parameters))
    return render(request, "leaderboard/compare.html", context | {"body": body})


def _body(sources: Sequence[AnswerSource], parameters: dict[str, str]) -> str:
    """The page below its place in the site, as HTML."""
    choices = rows_to_choose()
    context: dict[str, Any] = {"choices": choices, "slots": slots_of([parameters[name] for name in KEYS], choices)}
    if len(sources) > 1:
        why_not, found = _compared(sources[0], sources[1:], parameters["group"])
        if why_not:
            context |= {"why_not": why_not, "able": sources[0], "partners": partners_of(sources[0], choices)}
        else:
            context |= _context_of(found, parameters["page"])
    return render_to_string("leaderboard/parts/compare_body.html", context)


def _compared(
    first: AnswerSource, others: Sequence[AnswerSource], group: str
) -> tuple[str, list[report.ComparisonReport]]:
    """The reason why a row can't be compared with the first, or '' with the comparisons."""
    why_not = next((reason for other in others if (reason := report.why_not(first, other))), "")
    found = [] if why_not else report.compare_each(first, others, group)
    if why_not or len(found) == len(others):
        return why_not, found
    keys = {one.second.key for one in found}
    lone = next(other for other in others if other.key not in keys)
    both = f"{first.name} ({first.setting}) and {lone.name} ({lone.setting})"
    return f"No item was answered by both: {both}.", []


def _context_of(reports: Sequence[report.ComparisonReport], page: str) -> dict[str, Any]:
    found = reports[0]
    keys = [found.first.key, *(one.second.key for one in reports)]
    chart = difference_chart(reports, table_of(*reports))
    return {
        "found": found,
        "reports": reports,
        "sentence": sentence_of(reports),
        "chart": chart,
        "differences": page_drawing_of(chart),
        "flips": report.flips(found, page_number(page or "1")),
        "drawing": drawing_of(scatter_of(found)),
        "formats": FORMAT_NAMES.items(),
        "rows_query": urlencode(dict(zip(KEYS, keys, strict=False))),
        "query": _query(keys, found.facet.name),
        "swapped": _query([keys[1], keys[0], *keys[2:]], found.facet.name),
    }


def _query(keys: Sequence[str], group: str) -> str:
    return urlencode(dict(zip(KEYS, keys, strict=False)) | {"group": group})


HEADS = (*("n", "Clips", "First %", "Second %", "Difference"), *("Low", "High", "p", "p (Holm)", "Test"))


def table_of(*reports: report.ComparisonReport) -> Table:
    """Table of the comparisons, overall and by facet value; shares in per cent, differences in points."""
    found = reports[0]
    several = len(reports) > 1
    heads = (*(("Second",) if several else ()), found.facet.title, *HEADS)
    parts = [((f"{one.second.name}, {one.second.label}",) if several else (), one) for one in reports]
    full = tuple((*name, *row) for name, one in parts for row in _rows_of(one))
    printed = tuple((*map(text_of, row[:-3]), *map(chance_of_as_much, row[-3:-1]), str(row[-1])) for row in full)
    title = f"{found.benchmark.title}: {' and '.join((found.first.name, *(one.second.name for one in reports)))}"
    return Table(title, heads, full, _notes_of(reports), heads, printed, provenance=_provenance_of(reports))


def _rows_of(one: report.ComparisonReport) -> Iterator[tuple[Value, ...]]:
    grouped = [("By group of questions", one.of_groups, None)] if one.of_groups else []
    rows = [
        ("Overall", one.overall, None),
        *grouped,
        *((each.title, each.difference, each.p_holm) for each in one.groups),
    ]
    for title, both, p_holm in rows:
        shares = (both.first, both.second, both.value, both.interval.low, both.interval.high)
        yield title, both.n, both.clips, *(in_per_cent(share) for share in shares), both.p, p_holm, both.test


def _notes_of(reports: Sequence[report.ComparisonReport]) -> tuple[str, ...]:
    first = reports[0].first
    second = "; ".join(f"{one.second.name}, {one.second.label} ({one.second.key})" for one in reports)
    return (
        f"First: {first.name}, {first.label} ({first.key}). Second: {second}.",
        "Paired by item, on the items of one pack that both answered; difference = first - second, in points; "
        f"95 % interval: {ESTIMATOR}. Holm over the values in this table.",
        *dict.fromkeys(f"{one.overall.caution.capitalize()}." for one in reports if one.overall.caution),
    )


def _provenance_of(reports: Sequence[report.ComparisonReport]) -> provenance.Provenance:
    first, facet = reports[0].first, reports[0].facet.name
    sources = (first, *(one.second for one in reports))
    keys = [source.key for source in sources]
    path = f"{reverse('compare')}?{_query(keys, facet)}"
    made_of = provenance.of(reports[0].benchmark, path, pack=first.pack, rows=", ".join(keys), columns=facet)
    models = [source.run.model for source in sources if source.run]
    return provenance.with_papers(made_of, ((model.name, model.paper) for model in models))
