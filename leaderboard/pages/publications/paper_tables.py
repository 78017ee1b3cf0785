"""The papers' tables as pages and files; the URL names the layout, the pack and the kinds of rows."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from benchmarks.definitions.definition import Benchmark
from benchmarks.gallery.page_cache import cached_value
from leaderboard.board.cache import version_of
from leaderboard.board.query import FORMATS, BadAddress
from leaderboard.exports import writers
from leaderboard.exports.table import Table
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.pages.boards import benchmark_or_404, not_there
from leaderboard.publications.paper_tables import (
    PAPER_ALONE,
    ROWS,
    UnknownLayout,
    default_rows,
    layouts_of,
    table_named,
    takes_own_rows,
)


def layout(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One named table, as a page or as a file."""
    benchmark = benchmark_or_404(slug)
    try:
        return _table_page(request, slug, name)
    except (BadAddress, UnknownLayout) as mistake:
        return not_there(request, str(mistake), reverse("board", args=[benchmark.slug]))


def _table_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    known = layouts_of(slug)
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
        if wanted not in FORMATS:
            raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
        return writers.response(table, wanted, name=name.replace(":", "-"))
    context = {
        "section": "boards",
        "benchmark": benchmark_or_404(slug),
        "name": name,
        "table": table,
        "groups": _cells(table, benchmark_or_404(slug)),
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
    titles = {one.name: one.title for one in benchmark.strategies} if has_strategies else {}
    return [
        (panel, [list(zip((titles.get(row[0], row[0]), *row[1:]), kinds, strict=True)) for row in rows])
        for panel, rows in table.row_groups
    ]
