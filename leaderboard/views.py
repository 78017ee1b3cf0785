"""Pages of the boards."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from benchmarks.addresses import NoSuchPlace
from benchmarks.definition import Benchmark
from benchmarks.models import Production
from benchmarks.registry import BENCHMARKS, UnknownBenchmark, find_benchmark
from leaderboard import formats, plots
from leaderboard.address import FORMATS, BadAddress, Shelf, View, shelf_of, view_of
from leaderboard.board import Board
from leaderboard.caching import address_of, kept, short, version_of
from leaderboard.changes import latest_changes
from leaderboard.chart_drawing import drawing_of
from leaderboard.chart_registry import CHARTS
from leaderboard.exports import layouts_of
from leaderboard.gaps import gaps_of
from leaderboard.marks import drawn, x
from leaderboard.one_item import teaser_of
from leaderboard.provenance import as_json, of_view
from leaderboard.referees import references_for
from leaderboard.rows import board_of
from leaderboard.switches import main_switches, more_switches
from leaderboard.tables import asked_of_ranks, board_json, board_table
from leaderboard.temperatures import has_study
from leaderboard.words import CHARTS as CHART_NAMES
from leaderboard.words import FORMATS as FORMAT_NAMES
from leaderboard.words import PICTURES

MORE = ("rows", "search", "caution", "columns", "parts", "blocks")  # what stands under "More choices"
NOT_SIMULATED = "human,run,uploaded"


def home(request: HttpRequest) -> HttpResponse:
    """What the site is, and each benchmark with its distance between people and models."""
    return render(
        request,
        "leaderboard/home.html",
        {"shown": [entry_of(benchmark) for benchmark in BENCHMARKS.values()], "changes": latest_changes()},
    )


def entry_of(benchmark: Benchmark) -> dict:
    """What the first page says about a benchmark."""
    figure = plots.figure_3(benchmark, rows=NOT_SIMULATED) if plots.has_figure_3(benchmark) else None
    return {
        "benchmark": benchmark,
        "gaps": gaps_of(benchmark),
        "teaser": teaser_of(benchmark),
        "making": productions_of(benchmark.slug),
        "figure": figure,
        "drawing": plots.drawing_of(figure) if figure else None,
    }


def statistics(request: HttpRequest) -> HttpResponse:
    """The statistics in plain words."""
    return render(request, "leaderboard/statistics.html", {"section": "boards"})


def boards(request: HttpRequest) -> HttpResponse:
    """Every board there is."""
    shown = [(benchmark, shelf_of(slug), productions_of(slug)) for slug, benchmark in BENCHMARKS.items()]
    return render(request, "leaderboard/boards.html", {"section": "boards", "shown": shown})


def board(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One board; the address is the view."""
    benchmark = benchmark_or_404(slug)
    try:
        if wanted := request.GET.get("format"):
            return download(benchmark, request, wanted)
        return board_page(benchmark, request, version_of(slug))
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def board_page(benchmark: Benchmark, request: HttpRequest, version: str) -> HttpResponse:
    """Head, body and what is being made; BadAddress where there is no such view."""
    body = kept(address_of(request), version=version, make=lambda: body_of(benchmark, request))
    context = {"section": "boards", "benchmark": benchmark, "body": body, "making": productions_of(benchmark.slug)}
    return render(request, "leaderboard/board.html", context | {"version": short(version)})


def download(benchmark: Benchmark, request: HttpRequest, wanted: str) -> HttpResponse:
    """The same view as a file: every row, not a page of them."""
    if wanted not in FORMATS:
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
    shown = board_of(view_of(benchmark, request.GET, shelf_of(benchmark.slug)))
    if wanted == "json":
        return formats.json_response(board_json(shown) | {"provenance": as_json(of_view(shown.view, shown.rows))})
    return formats.response(board_table(shown), wanted, name=f"{benchmark.slug}-board")


def body_of(benchmark: Benchmark, request: HttpRequest) -> str:
    shelf = shelf_of(benchmark.slug)
    view = view_of(benchmark, request.GET, shelf)
    return render_to_string("leaderboard/parts/board_body.html", board_context(view, shelf, board_of(view)))


def board_context(view: View, shelf: Shelf, shown: Board) -> dict:
    ranked = drawn(shown, shown.page_rows)
    return {
        "view": view,
        "benchmark": view.benchmark,
        "board": shown,
        "main": main_switches(view, shelf, shown.referees),
        "more": more_switches(view, shelf),
        "is_more_open": any(view.state().get(name) for name in MORE),
        "pinned": drawn(shown, shown.pinned),
        "ranked": ranked,
        "has_groups": any(row.opens_group for row in ranked),
        "shows_chance": shows_chance(view, shown),
        "ranked_by": asked_of_ranks(view) if shown.blocks else "",
        "published": drawn(shown, shown.published),
        "sorts": sorts_of(view, shown),
        "people_sort": _head(view, "people", "", None, "") if shown.has_distances else None,
        "width": len(shown.columns) + (1 if shown.blocks else 5 if shown.has_distances else 4),
        "ticks": ticks_of(shown),
        "pages": [(number, view.but(page=number).query) for number in range(1, shown.page_count + 1)],
        "references": [
            {**vars(line), "row": [line.cells.get(column.key) for column in shown.columns]}
            for line in references_for(view, shown.referees)
        ],
        "has_study": has_study(view.benchmark),
        "has_pack": view.pack is not None,
        "formats": FORMAT_NAMES.items(),
        "charts": [(name, title, view.but(drawn=name, page=view.page).query) for name, title in charts_of(shown)],
        "undrawn": view.but(drawn="", page=view.page).query,
        "unsearched": view.but(search="").query,
        **drawn_under(view, shelf),
        "layouts": layouts_of(view.benchmark.slug),
        "figure_level": plots.FIGURE_3_LEVEL if plots.has_figure_3(view.benchmark) else "",
    }


def shows_chance(view: View, shown: Board) -> bool:
    """The row of guessing says something where figures are held against it."""
    is_known = shown.chance is not None or any(column.chance is not None for column in shown.columns)
    return is_known and view.columns not in ("repeats", "guessing")


def drawn_under(view: View, shelf: Shelf) -> dict:
    """The chart that the address asks for, as its own page has it."""
    if not view.drawn:
        return {}
    chart = CHARTS[view.drawn](view, shelf)
    own = view.but(drawn="").query
    return {"chart": chart, "drawing": drawing_of(chart), "name": view.drawn, "own": own, "pictures": PICTURES.items()}


def charts_of(shown: Board) -> list[tuple[str, Any]]:
    """Charts that would show something of this view."""
    measured = [row.overall for row in (*shown.pinned, *shown.ranked) if row.overall]
    wanted = {"profile": measured, "slopes": len(shown.view.level.strategies) > 1 and shown.ranked,
              "bias": any(cell.d_prime is not None for cell in measured),
              "people": shown.pinned and shown.ranked}  # fmt: skip
    return [(name, title) for name, title in CHART_NAMES.items() if wanted[name]]


def ticks_of(shown: Board) -> list[str]:
    """Every place of the mark for guessing that the cells of this page refer to."""
    chances = {shown.chance, 0.5, *(column.chance for column in shown.columns)}
    return sorted({"" if chance is None else x(chance) for chance in chances} | {""})


def sorts_of(view: View, shown: Board) -> list[dict]:
    """One head a column: a press sorts by it, best first; a second press turns it."""
    first = [] if shown.blocks else [("overall", "Overall", None, "")]
    heads = [*first, *((c.key, c.title, c.number, c.caution) for c in shown.columns)]
    wholes = {"overall", *(column.key for column in shown.columns if column.is_whole)}
    return [_head(view, *head) | {"is_whole": head[0] in wholes} for head in heads]


def _head(view: View, key: str, title: str, number: int | None, caution: str) -> dict:
    direction = {key: "descending", f"-{key}": "ascending"}.get(view.sort, "")
    query = view.but(sort=f"-{key}" if view.sort == key else key).query
    return {"title": title, "number": number, "caution": caution, "query": query, "direction": direction, "key": key}


def productions_of(slug: str) -> list[Production]:
    """Packs that are being made now."""
    return [one for one in Production.objects.filter(benchmark=slug) if one.is_open]


def benchmark_or_404(slug: str) -> Benchmark:
    try:
        return find_benchmark(slug)
    except UnknownBenchmark as mistake:
        raise NoSuchPlace(str(mistake)) from mistake


def not_there(request: HttpRequest, reason: str, back: str) -> HttpResponse:
    """A 404 that says what exists and leads back to it."""
    if request.GET.get("format") == "json":
        return formats.json_response({"detail": reason}, status=404)
    return render(request, "400.html", {"reason": reason, "back": back}, status=404)
