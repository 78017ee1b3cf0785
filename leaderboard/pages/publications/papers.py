"""The papers' tables and figures as pages and files; an interactive figure is in a frame of its own."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from benchmarks.definitions.definition import Benchmark
from benchmarks.gallery.page_cache import cached_value
from leaderboard.board.cache import version_of
from leaderboard.board.query import BadAddress
from leaderboard.charts import grasp_figure_3
from leaderboard.charts.chart import Chart
from leaderboard.charts.grasp_figure_3 import Figure3, answer_of, chart_of, json_of
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.exports import writers
from leaderboard.exports.table import Table
from leaderboard.exports.writers import json_response
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.labels import PICTURES
from leaderboard.pages.boards import below_a_board, benchmark_or_404
from leaderboard.pages.charts import as_points, chart_file
from leaderboard.publications.paper_tables import (
    PAPER_ALONE,
    ROWS,
    default_rows,
    layouts_of,
    table_named,
    takes_own_rows,
)


@below_a_board
def layout(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One named table, as a page or as a file."""
    benchmark, known = benchmark_or_404(slug), layouts_of(slug)
    if name not in known:
        raise BadAddress(f"there is no table {name[:60]!r} of {slug}; there is: {', '.join(known)}")
    parameters = {key: request.GET[key] for key in ("pack", "rows") if request.GET.get(key)}
    rows = tuple(parameters["rows"].split(",")) if "rows" in parameters else default_rows(name)
    table = cached_value(
        f"table:{name}:{parameters.get('pack', '')}:{rows}",
        version=version_of(slug),
        make=lambda: table_named(name, pack_name=parameters.get("pack", ""), rows=rows),
    )
    if wanted := request.GET.get("format"):
        return writers.response(table, wanted, name=name.replace(":", "-"))
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "name": name,
        "table": table,
        "groups": _cells(table, benchmark),
        "query": urlencode(parameters),
        "formats": FORMAT_NAMES.items(),
        "takes_own_rows": takes_own_rows(name),
        "shows_own": rows != PAPER_ALONE,
        "every_row": ",".join(ROWS),
    }
    return render(request, "leaderboard/layout.html", context)


def _cells(table: Table, benchmark: Benchmark) -> list[tuple[str, list[list[tuple[str, bool]]]]]:
    """The panels with their rows, each cell with whether its column holds words; strategies by their titles."""
    kinds = [is_text for _, is_text in table.print_columns]
    has_strategies = table.print_columns[0][0] == "Strategy"
    titles = {strategy.name: strategy.title for strategy in benchmark.strategies} if has_strategies else {}
    return [
        (panel, [list(zip((titles.get(row[0], row[0]), *row[1:]), kinds, strict=True)) for row in rows])
        for panel, rows in table.row_groups
    ]


@below_a_board
def figure_3(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of the figure with its table, or a file of either if `format` is given."""
    figure = _figure(request, slug)
    wanted = request.GET.get("format", "")
    if wanted == "json":
        return json_response(json_of(figure))
    if wanted:
        return chart_file(request, chart_of(figure), wanted, f"{slug}-figure-3")
    context = {
        "section": "boards",
        "benchmark": figure.view.benchmark,
        "figure": figure,
        "drawing": page_drawing_of(chart_of(figure)),
        "answer": answer_of(figure),
        "formats": {name: title for name, title in FORMAT_NAMES.items() if name not in ("md", "bib")}.items(),
        "pictures": PICTURES.items() if figure.bars else (),
        "query": f"caution={figure.view.caution}" + (f"&pack={figure.view.pack.name}" if figure.view.pack else ""),
    }
    return render(request, "leaderboard/figure_3.html", context)


@as_points
def figure_3_points(request: HttpRequest, slug: str) -> Chart:
    return chart_of(_figure(request, slug))


def _figure(request: HttpRequest, slug: str) -> Figure3:
    benchmark = benchmark_or_404(slug)
    if not grasp_figure_3.has_figure_3(benchmark):
        raise BadAddress(f"{benchmark.title} has no such figure")
    pack, caution = request.GET.get("pack", ""), request.GET.get("caution", "in")
    return cached_value(
        f"figure-3:{slug}:{pack}:{caution}",
        version=version_of(slug),
        make=lambda: grasp_figure_3.figure_3(benchmark, pack=pack, caution=caution),
    )
