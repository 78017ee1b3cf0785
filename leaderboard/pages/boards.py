"""Pages of the leaderboards, and the 404 helpers that other pages share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, wraps
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe

from benchmarks.definitions.concepts import concepts_on
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS, UnknownBenchmark, find_benchmark
from benchmarks.gallery.page_cache import cached_body, cached_value, version_of_sight
from benchmarks.gallery.query import NoSuchPlace
from benchmarks.packs.caveats import caveats_of
from leaderboard.board.assemble import Board, references_for
from leaderboard.board.assemble import figure as figure_of
from leaderboard.board.board_row import OF_ALL, BoardColumn
from leaderboard.board.cache import address_of, short, version_of
from leaderboard.board.cell_display import CellDisplay, DisplayRow, display_rows
from leaderboard.board.controls import FILTERS, applied_filters, main_switches, more_switches, rows_switch
from leaderboard.board.overviews.board_claim import answer_of, unprinted_line
from leaderboard.board.overviews.board_list import board_lines
from leaderboard.board.overviews.heat_map import columns_by_concept
from leaderboard.board.overviews.level_results import hidden_studies
from leaderboard.board.overviews.people_and_models import answer_to, coarsest, default_boards, skills_of
from leaderboard.board.query import DEFAULTS, BadAddress, View, view_of
from leaderboard.board.rows import board_of
from leaderboard.board.work_in_progress import work_in_progress
from leaderboard.board_analysis import links_below
from leaderboard.charts import grasp_figure_3
from leaderboard.charts.board_charts import has_points, profile_keys
from leaderboard.charts.board_lanes import chart_lanes
from leaderboard.charts.gap_chart import leader_beside_people
from leaderboard.charts.registry import CHARTS
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.comparison.row_choices import query_of_board
from leaderboard.exports import writers
from leaderboard.exports.provenance import as_json, of, of_view
from leaderboard.exports.table import board_json, board_table
from leaderboard.labels import CHARTS as CHART_NAMES
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.labels import PICTURES
from leaderboard.publications.paper_tables import layouts_of

IN_THE_BAR = ("Level", "Prompting", "Columns")  # switches that are no filters
FEW = 12  # clips of a median cell, below which a board opens on its coarsest columns
MANY = 12  # columns, from which on cells have one line


def benchmark_or_404(slug: str) -> Benchmark:
    try:
        return find_benchmark(slug)
    except UnknownBenchmark as mistake:
        raise NoSuchPlace(str(mistake)) from mistake


def not_there(request: HttpRequest, reason: str, back: str) -> HttpResponse:
    """A 404 page, or JSON, that gives the reason and links back."""
    if request.GET.get("format") == "json":
        return writers.json_response({"detail": reason}, status=404)
    return render(request, "400.html", {"reason": reason, "back": back}, status=404)


def leads_back_to(name: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Decorator of a page: BadAddress is a 404 page that links to the page of this name, with the same slug."""

    def decorated(page: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(page)
        def answered(request: HttpRequest, **place: str) -> HttpResponseBase:
            try:
                return page(request, **place)
            except BadAddress as mistake:
                back = reverse(name, kwargs={"slug": place["slug"]} if "slug" in place else {})
                return not_there(request, str(mistake), back)

        return answered

    return decorated


below_a_board = leads_back_to("board")


def statistics(request: HttpRequest) -> HttpResponse:
    """Page that explains the statistics."""
    return render(request, "leaderboard/statistics.html", {"section": "boards"})


def boards(request: HttpRequest) -> HttpResponse:
    """Page that lists every board."""
    made = [(BENCHMARKS[slug], making) for slug, making in work_in_progress().items() if making]
    parts = cached_value("boards", version=version_of_lists(), make=_parts_of_list)
    return render(request, "leaderboard/boards.html", {"section": "boards", "made": made, **parts})


def _parts_of_list() -> dict[str, str]:
    body = render_to_string("leaderboard/parts/board_list.html", {"lines": board_lines()})
    return {"answer": answer_to(skills_of(default_boards())), "body": body}


def version_of_lists() -> str:
    """Changes with every figure, pack, seal and open study: what lists of all boards hang on."""
    return f"{version_of('')}|{sorted(hidden_studies().items())}|{version_of_sight()}"


@below_a_board
def board(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Page of one board, or the view as a file if `format` is given."""
    benchmark = benchmark_or_404(slug)
    if wanted := request.GET.get("format"):
        return download(benchmark, request, wanted)
    return board_page(benchmark, request, version_of(slug))


def board_page(benchmark: Benchmark, request: HttpRequest, version: str) -> HttpResponse:
    """The board's page with its cached body; BadAddress if the view does not exist."""
    board = cache(lambda: opened(view_of(benchmark, parameters(request)), request))  # only if the body is not cached
    body = cached_body(address_of(request), version=version, make=lambda: body_of(board()))
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "body": body,
        "making": work_in_progress(version)[benchmark.slug],
    }
    path = cached_body(f"canonical:{address_of(request)}", version=version, make=lambda: canonical_path(board().view))
    context |= {"version": short(version), "path": path}
    return render(request, "leaderboard/board.html", context)


def parameters(request: HttpRequest) -> dict[str, str]:
    """The address's parameters; kinds of rows may come one by one, from the boxes of a form."""
    return request.GET.dict() | ({"rows": ",".join(request.GET.getlist("rows"))} if "rows" in request.GET else {})


def opened(view: View, request: HttpRequest) -> Board:
    """The board, on its coarsest columns if the address names none and the median cell has too few clips to tell."""
    board, coarse = board_of(view), coarsest(view.level.groups)
    if "group" in request.GET or coarse == view.group:
        return board
    counts = [cell.n for row in board.ranked for cell in row.cells.values() if cell.n]
    return board_of(replace(view, group=coarse)) if counts and median(counts) < FEW else board


def canonical_path(view: View) -> str:
    """The board's address with the parameters of `canonical_state`, for search engines and links on other sites."""
    query = urlencode(canonical_state(view))
    return f"{reverse('board', args=[view.benchmark.slug])}{'?' if query else ''}{query}"


def canonical_state(view: View) -> dict[str, str]:
    """The parameters of a view that differ from the defaults of the benchmark and the level."""
    own = view.but(chart="", page=view.page).state()
    plain = view_of(view.benchmark, {}, view.available).state()
    of_level = view_of(view.benchmark, {"level": view.level.number}, view.available).state()
    changed = {name: value for name, value in own.items() if value != of_level.get(name)}
    level = {} if own.get("level") == plain.get("level") else {"level": view.level.number}
    return level | changed


def download(benchmark: Benchmark, request: HttpRequest, wanted: str) -> HttpResponse:
    """The view as a file, with the rows of all its pages."""
    board = board_of(view_of(benchmark, parameters(request)))
    if wanted == "json":
        return writers.json_response(board_json(board) | {"provenance": as_json(of_view(board.view, board.rows))})
    return writers.response(board_table(board), wanted, name=f"{benchmark.slug}-board")


def body_of(board: Board) -> str:
    """The board as HTML without the blank lines of template tags, a tenth of a page of a thousand cells."""
    body = render_to_string("leaderboard/parts/board_body.html", board_context(without_empty_columns(board)))
    lines = "\n".join(line for line in body.split("\n") if line)
    return mark_safe(lines)  # noqa: S308  # our own template made it # nosec B308, B703


def without_empty_columns(board: Board) -> Board:
    """The board without empty columns, if it has only papers' rows."""
    if board.ranked or board.pinned or not board.rows:
        return board
    return replace(
        board,
        columns=tuple(column for column in board.columns if any(has_points(row, [column.key]) for row in board.rows)),
    )


def _bar_context(board: Board) -> dict[str, Any]:
    """The switches, filters and search above a board."""
    view, switches = board.view, main_switches(board.view, board.referees)
    return {
        "main": [one for one in switches if one.legend in IN_THE_BAR],
        "filters": [one for one in (*switches, *more_switches(view)) if one.legend not in IN_THE_BAR],
        "row_kinds": rows_switch(board),
        "state": [(name, value) for name, value in view.but().state().items() if name not in ("rows", "search")],
        "applied": applied_filters(view),
        "unfiltered": view.but(**{name: DEFAULTS[name] for name in (*FILTERS, "sort")}).query,
        "unsearched": view.but(search="").query,
    }


def board_context(board: Board) -> dict:
    """Template context of a board: its sentence, its bar, its table or its chart, and what is below."""
    view, charts = board.view, charts_of(board)
    context = {
        "view": view,
        "benchmark": view.benchmark,
        "board": board,
        "title": view.title,
        "claim": answer_of(board),
        **_bar_context(board),
        "caveats": caveats_of(view.pack),
        "pages": [(number, view.but(page=number).query) for number in range(1, board.page_count + 1)],
        "is_refereed": any(level.dimensions for level in view.benchmark.levels),
        "analyses": links_below(view).items(),
        "has_pack": view.pack is not None,
        "path": canonical_path(view),
        "entries": [f"{one.strip()}\n" for one in of(view.benchmark, canonical_path(view)).citations if one],
        "compared": query_of_board((*board.pinned, *board.ranked)),
        "formats": FORMAT_NAMES.items(),
        "pictures": PICTURES.items(),
        "charts": [(name, title, view.but(chart=name, page=view.page).query) for name, title in charts],
        "as_table": view.but(chart="", page=view.page).query,
        "concepts": concepts_on(view.benchmark.slug, view.level.number, view.group),
        "layouts": list(layouts_of(view.benchmark.slug).items()),
        "figure_level": grasp_figure_3.FIGURE_3_LEVEL if grasp_figure_3.has_figure_3(view.benchmark) else "",
        "newest": max((row.date for row in board.ranked if row.date), default=None),
        "questions": max((row.overall.n or 0 for row in board.rows if row.overall), default=0),
    }
    chart = chart_context(board, [name for name, _ in charts])
    return context | chart | (chart_lanes(board) if chart.get("name") == "profile" else table_context(board))


def table_context(board: Board) -> dict:
    """Template context of the board's table, in rows and, for phones, turned."""
    columns, groups = columns_by_concept(board)
    in_order = [one.column for one in columns]
    blocks = blocks_of(board, in_order)
    heads = {head["key"]: head for head in sorts_of(board)}
    return {
        "columns": columns,
        "chances": in_order,
        "groups": groups,
        "total": heads["overall"],
        "heads": [(heads[one.column.key], one) for one in columns],
        "is_many": len(columns) > MANY,
        "width": len(columns) + 3 + board.has_human_gaps,
        "blocks": blocks,
        "people_sort": _head(board.view, BoardColumn("people", "vs people")) if board.has_human_gaps else None,
        "shows_chance": shows_chance(board),
        "turned": turned(blocks, ["Overall", *(one.column.title for one in columns)]),
        "unprinted": unprinted_line(len(board.unprinted), of_level=board.view.group == board.view.level.groups[0]),
        "references": [
            {**vars(line), "row": [line.cells.get(column.key) for column in in_order]}
            for line in references_for(board.view, board.referees)
        ],
    }


@dataclass(frozen=True)
class RowBlock:
    """Rows of the table that belong together; `name` is the badge of its head, "" = the pinned rows."""

    name: str
    title: str
    about: str
    rows: Sequence[DisplayRow]
    link: str = ""


def blocks_of(board: Board, columns: Sequence[BoardColumn]) -> list[RowBlock]:
    """People, then models measured here, uploaded, and reported; the last also without rows if papers print none."""
    view = board.view
    ours, uploaded = ([row for row in board.page_rows if row.kind.is_evaluated is is_own] for is_own in (True, False))
    own_items = "official clips" if view.benchmark.is_released else "items of its own"
    printed = f"{own_items}; not ranked{f'; {view.level.printed}' if view.level.printed else ''}"
    of_paper = reverse("benchmark", args=[view.benchmark.slug]) + "#printed"
    found = [
        ("", "", "", (*board.people_of_papers, *board.pinned), ""),
        ("measured", "Measured here", "answers collected and scored by this site", ours, ""),
        ("uploaded", "Uploaded", "answers sent in by others, scored by this site", uploaded, ""),
        ("reported", "Reported in the paper", printed, board.of_the_paper, of_paper),
        ("reported", "Reported in later papers", "not ranked", board.of_later_papers, ""),
    ]
    return [
        RowBlock(name, title, about, display_rows(board, rows, columns), link)
        for name, title, about, rows, link in found
    ]


def turned(blocks: Sequence[RowBlock], titles: Sequence[str]) -> list[tuple[str, list[CellDisplay]]]:
    """The table with its columns as rows, for narrow screens: a title and a cell of each row."""
    rows = [[replace(cell, is_whole=False) for cell in row.cells] for block in blocks for row in block.rows]
    missing = CellDisplay(missing="–")  # of rows with a sentence in place of their cells
    lines = [[row[place] if place < len(row) else missing for row in rows] for place in range(len(titles))]
    return list(zip(titles, lines, strict=True)) if rows else []


def shows_chance(board: Board) -> bool:
    """Whether the chance row is shown: a chance level is known and the view's figures are compared with it."""
    is_known = board.chance is not None or any(column.chance is not None for column in board.columns)
    return is_known and board.view.columns not in ("repeats", "guessing")


def chart_context(board: Board, charts: list[str]) -> dict:
    """Template context of the requested chart; none without one."""
    view = board.view
    name = view.chart if view.chart in charts else ""
    if not name:
        return {"name": ""}
    chart = CHARTS[name](board)
    drawing = None if name == "profile" else page_drawing_of(chart)
    return {"chart": chart, "drawing": drawing, "name": name, "own": view.but(chart="").query}


def charts_of(board: Board) -> list[tuple[str, Any]]:
    """Name and title of each chart that is not empty for this view."""
    measured = [row.overall for row in (*board.pinned, *board.ranked) if row.overall]
    keys = profile_keys(board)
    wanted = {
        "gaps": leader_beside_people(board),
        "profile": any(has_points(row, keys) for row in board.rows),
        "slopes": len(board.view.level.strategies) > 1 and board.ranked,
        "bias": any(cell.d_prime is not None for cell in measured),
        "people": board.pinned and board.ranked,
    }
    return [(name, title) for name, title in CHART_NAMES.items() if wanted[name]]


def sorts_of(board: Board) -> list[dict]:
    """The head of each column: a click sorts by it, best first; a second click reverses the order."""
    heads = [_head(board.view, column) for column in (OF_ALL, *board.columns)]
    return [head if _is_ordered(board, head["key"]) else head | {"direction": ""} for head in heads]


def _is_ordered(board: Board, key: str) -> bool:
    """Whether some row has a figure to order by; papers may report tests without an overall figure."""
    return any(figure_of(board.view, row, key) is not None for row in (*board.ranked, *board.published))


def _head(view: View, column: BoardColumn) -> dict:
    key = column.key
    direction = {key: "descending", f"-{key}": "ascending"}.get(view.sort, "")
    query = view.but(sort=f"-{key}" if view.sort == key else key).query
    facts = {"title": column.title, "number": column.number, "caution": column.caution}
    return facts | {"query": query, "direction": direction, "key": key}
