"""API calls for boards, benchmarks and comparisons, which are assembled on each call as on the pages."""

from collections.abc import Iterator, Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.api.query import refuse_unknown
from leaderboard.api.serializers import definition_facts
from leaderboard.board.query import STATE, AvailablePacks, BadAddress, packs_of, view_of
from leaderboard.board.rows import board_of
from leaderboard.board_analysis import analyses
from leaderboard.comparison import report
from leaderboard.exports.table import board_json
from leaderboard.pages.boards import benchmark_or_404
from leaderboard.pages.comparison import table_of

PLAIN = ("format",)
OBJECT = OpenApiTypes.OBJECT


def parameter(name: str, what: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, description=what)


def row_key(name: str, what: str) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "string", "minLength": 1}, description=what, required=True)


OF_FIGURES = tuple(name for name in STATE if name != "chart")  # charts are on the page only
VIEW = [parameter(name, "as in the address of the board's page") for name in OF_FIGURES if name != "page"]
PAIR = [
    row_key("a", "key of a row: run-NUMBER, trial-NAME or trial-NAME~CONDITION"),
    row_key("b", "key of the row that it is compared with"),
    parameter("group", "facet whose values are compared one by one"),
]


@extend_schema(operation_id="boards_list", summary="Every board with its levels and packs", responses=OBJECT)
@api_view(["GET"])
def boards(request: Request) -> Response:
    refuse_unknown(request, (), PLAIN)
    return Response(
        {"boards": [_board_entry(slug, packs) for slug, packs in packs_of(BENCHMARKS.with_boards().keys()).items()]}
    )


def _board_entry(slug: str, available: AvailablePacks) -> dict[str, Any]:
    benchmark = BENCHMARKS[slug]
    levels = [
        {"level": level.number, "title": level.title, "strategies": level.strategies, "dimensions": level.dimensions}
        for level in benchmark.levels
    ]
    packs = [pack.name for pack in available.packs]
    return {"benchmark": slug, "title": benchmark.title, "levels": levels, "packs": packs, "splits": benchmark.splits}


@extend_schema(summary="One view of one board", parameters=VIEW, responses={200: OBJECT, 404: OBJECT})
@api_view(["GET"])
def board(request: Request, slug: str) -> Response:
    benchmark = benchmark_or_404(slug)
    refuse_unknown(request, OF_FIGURES, PLAIN)
    try:
        return Response(board_json(board_of(view_of(benchmark, request.query_params))))
    except BadAddress as mistake:
        raise NotFound(str(mistake)) from mistake


@extend_schema(
    operation_id="boards_answers_retrieve",
    summary="The table of one page of answers: " + ", ".join(analyses()),
    parameters=VIEW,
    responses={200: OBJECT, 404: OBJECT},
)
@api_view(["GET"])
def answers(request: Request, slug: str, what: str) -> Response:
    benchmark = benchmark_or_404(slug)
    refuse_unknown(request, OF_FIGURES, PLAIN)
    if what not in (known := analyses()):
        raise NotFound(f"{what[:60]!r} does not exist here; there is: {', '.join(known)}")
    try:
        view = known[what].view(benchmark, request.query_params.dict())
        table = known[what].section(view).table()
    except BadAddress as mistake:
        raise NotFound(str(mistake)) from mistake
    rows = [dict(_cells(table.heads, row)) for row in table.rows]
    return Response({"title": table.title, "pack": str(view.pack or ""), "notes": table.notes, "rows": rows})


def _cells(heads: Sequence[str], row: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield head and value; the ends of an interval are named after the figure before them."""
    figure = ""
    for head, value in zip(heads, row, strict=True):
        is_end = head in ("low", "high")
        figure = figure if is_end else str(head)
        yield (f"{figure}, {head}" if is_end else figure), value


@extend_schema(operation_id="benchmarks_list", summary="Every benchmark in a sentence", responses=OBJECT)
@api_view(["GET"])
def benchmarks(request: Request) -> Response:
    refuse_unknown(request, (), PLAIN)
    rows = [
        {"slug": each.slug, "title": each.title, "question": each.question, "version": each.version}
        for each in BENCHMARKS.values()
    ]
    return Response({"results": rows, "next": None, "previous": None})


@extend_schema(summary="One benchmark's definition", responses={200: OBJECT, 404: OBJECT})
@api_view(["GET"])
def benchmark(request: Request, slug: str) -> Response:
    refuse_unknown(request, (), PLAIN)
    return Response(definition_facts(benchmark_or_404(slug)))


@extend_schema(
    summary="Two rows on the items that both answered: differences, intervals, tests",
    parameters=PAIR,
    responses={200: OBJECT, 400: OBJECT, 404: OBJECT, 409: OBJECT},
)
@api_view(["GET"])
def compare(request: Request) -> Response:
    refuse_unknown(request, ("a", "b", "group"), PLAIN)
    query = request.query_params
    missing = [name for name in ("a", "b") if not query.get(name)]
    if missing:
        raise ValidationError(
            dict.fromkeys(missing, "say which row: run-NUMBER, trial-NAME or trial-NAME~CONDITION, as on the boards")
        )
    try:
        first, second = report.find_row(query["a"]), report.find_row(query["b"])
        why_not = report.why_not(first, second)
        found = None if why_not else report.compare(first, second, query.get("group", ""))
    except BadAddress as mistake:
        raise NotFound(str(mistake)) from mistake
    if found is None:
        return Response({"detail": why_not or "No item was answered by both."}, status=409)
    table = table_of(found)
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    return Response({"title": table.title, "notes": table.notes, "rows": rows})
