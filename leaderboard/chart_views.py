"""Charts of a board: a page with the drawing, its table and both as files; the address is the board's."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard import chart_files, formats, pictures
from leaderboard.address import FORMATS, BadAddress, View, shelf_of, view_of
from leaderboard.caching import version_of
from leaderboard.chart_drawing import drawing_of
from leaderboard.chart_files import svg_of
from leaderboard.chart_registry import CHARTS
from leaderboard.charts import Chart
from leaderboard.frames import frame, framed
from leaderboard.views import benchmark_or_404, not_there
from leaderboard.words import CHARTS as CHART_NAMES
from leaderboard.words import FORMATS as FORMAT_NAMES
from leaderboard.words import PICTURES


def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One chart of one view."""
    benchmark_or_404(slug)
    try:
        view, found = _asked(request, slug, name)
        wanted = request.GET.get("format", "")
        return (
            _file(request, found, wanted, slug=slug, name=f"{slug}-{name}")
            if wanted
            else _page(request, view, found, name)
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def chart_points(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """What an interactive chart is drawn from."""
    benchmark_or_404(slug)
    try:
        return formats.json_response(chart_files.points_of(_asked(request, slug, name)[1]))
    except BadAddress as mistake:
        return formats.json_response({"detail": str(mistake)}, status=404)


@framed
def chart_frame(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Plotly's drawing of it."""
    benchmark_or_404(slug)
    points = f"{reverse('chart-points', args=[slug, name])}?{request.GET.urlencode()}"
    return frame(request, points=points, script="js/plot-chart.js")


def _asked(request: HttpRequest, slug: str, name: str) -> tuple[View, Chart]:
    if name not in CHARTS:
        raise BadAddress(f"there is no chart {name[:60]!r}; there is: {', '.join(CHARTS)}")
    shelf = shelf_of(slug)
    view = view_of(benchmark_or_404(slug), request.GET, shelf)
    return view, CHARTS[name](view, shelf)


def _file(request: HttpRequest, found: Chart, wanted: str, *, slug: str, name: str) -> HttpResponse:
    if wanted == "svg":
        answer = HttpResponse(svg_of(found), content_type="image/svg+xml")
        answer["Content-Disposition"] = f'attachment; filename="{name}.svg"'
        return answer
    if wanted in pictures.TYPES:
        draw, version = chart_files.WRITERS[wanted], version_of(slug)
        return pictures.picture_response(request, wanted, name=name, version=version, make=lambda: draw(found))
    if wanted not in FORMATS:
        known = ", ".join(("svg", *pictures.TYPES, *FORMATS))
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {known}")
    return formats.response(found.table, wanted, name=name)


def _page(request: HttpRequest, view: View, found: Chart, name: str) -> HttpResponse:
    context = {
        "section": "boards",
        "benchmark": view.benchmark,
        "view": view,
        "chart": found,
        "drawing": drawing_of(found),
        "name": name,
        "charts": CHART_NAMES.items(),
        "formats": FORMAT_NAMES.items(),
        "pictures": PICTURES.items(),
        "own": view.but(drawn="").query,
    }
    return render(request, "leaderboard/chart.html", context)
