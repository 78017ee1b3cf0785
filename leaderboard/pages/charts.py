"""Charts of a board: pages with the drawing, its table and both as files; parameters are those of the board."""

from collections.abc import Callable, Mapping
from functools import wraps

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt

from benchmarks.gallery.page_cache import cached_value
from leaderboard.board.cache import version_of
from leaderboard.board.query import FORMATS, BadAddress, View, one_of, view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.chart import Chart
from leaderboard.charts.registry import CHARTS
from leaderboard.charts.rendering.drawing import drawing_of, page_drawing_of
from leaderboard.charts.rendering.plotly_figure import framed, in_both_themes
from leaderboard.charts.rendering.writers import TYPES, NoCairo, file_of
from leaderboard.exports.writers import attached, json_response, response
from leaderboard.labels import CHARTS as CHART_NAMES
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.labels import PICTURES
from leaderboard.pages.boards import below_a_board, benchmark_or_404


@below_a_board
def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Page of one chart of one view, or its file if `format` is given."""
    view, found = chart_of(slug, name, request.GET)
    wanted = request.GET.get("format", "")
    return chart_file(request, found, wanted, f"{slug}-{name}") if wanted else _page(request, view, found, name)


def as_points(page: Callable[..., Chart]) -> Callable[..., HttpResponse]:
    """Decorator: the chart as a Plotly figure, in JSON; BadAddress is a 404 with the reason."""

    @wraps(page)
    def answered(request: HttpRequest, **place: str) -> HttpResponse:
        try:
            return json_response(in_both_themes(page(request, **place)))
        except BadAddress as mistake:
            return json_response({"detail": str(mistake)}, status=404)

    return answered


@as_points
def chart_points(request: HttpRequest, slug: str, name: str) -> Chart:
    return chart_of(slug, name, request.GET)[1]


@framed
def chart_frame(request: HttpRequest, slug: str = "", name: str = "") -> HttpResponse:
    """The page in the frame that mounts a Plotly figure, which has its address beside this one."""
    if slug:
        benchmark_or_404(slug)
    points = f"{request.path.removesuffix('frame/')}points/?{request.GET.urlencode()}"
    return render(request, "leaderboard/plot_frame.html", {"figure": points})


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@cache_control(public=True, max_age=300)
@below_a_board
def chart_embedded(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The current chart alone, for a frame on any site; no other page may be framed by other sites."""
    view, found = chart_of(slug, name, request.GET)
    context = {"benchmark": view.benchmark, "view": view, "chart": found, "drawing": page_drawing_of(found)}
    return render(request, "leaderboard/chart_embedded.html", context | {"own": view.but(chart="").query})


def chart_file(request: HttpRequest, found: Chart, wanted: str, name: str) -> HttpResponse:
    """The chart's drawing or table as a file; a 503 page if cairo is missing."""
    if one_of("format", wanted, (*TYPES, *FORMATS)) in FORMATS:
        return response(found.table, wanted, name=name)
    try:
        content = file_of(drawing_of(found), wanted)
    except NoCairo as error:
        context = {"reason": f"{error}. Take the SVG.", "back": request.path}
        return render(request, "400.html", context, status=503)
    return attached(content, f"{name}.{wanted}", TYPES[wanted])


def chart_of(slug: str, name: str, parameters: Mapping[str, str]) -> tuple[View, Chart]:
    """The chart of this name in the view that the parameters name; BadAddress if there is none."""
    benchmark = benchmark_or_404(slug)
    if name not in CHARTS:
        raise BadAddress(f"there is no chart {name[:60]!r}; there is: {', '.join(CHARTS)}")
    view = view_of(benchmark, parameters)
    what = f"chart:{slug}:{name}:{view.query}"
    return view, cached_value(what, version=version_of(slug), make=lambda: CHARTS[name](board_of(view)))


def _page(request: HttpRequest, view: View, found: Chart, name: str) -> HttpResponse:
    context = {
        "section": "boards",
        "benchmark": view.benchmark,
        "view": view,
        "chart": found,
        "drawing": page_drawing_of(found),
        "name": name,
        "charts": CHART_NAMES.items(),
        "formats": FORMAT_NAMES.items(),
        "pictures": PICTURES.items() if found.traces else (),
        "own": view.but(chart="").query,
    }
    return render(request, "leaderboard/chart.html", context)
