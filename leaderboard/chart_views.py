"""Charts of a board: a page with the drawing, its table and both as files; the address is the board's."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard import chart_files, formats, pictures
from leaderboard.address import FORMATS, BadAddress, shelf_of, view_of
from leaderboard.caching import version_of
from leaderboard.chart_drawing import drawing_of
from leaderboard.chart_files import svg_of
from leaderboard.charts import CHARTS
from leaderboard.views import benchmark_or_404, not_there
from leaderboard.words import CHARTS as CHART_NAMES
from leaderboard.words import FORMATS as FORMAT_NAMES


def chart(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One chart of one view."""
    benchmark_or_404(slug)
    try:
        return _shown(request, slug, name)
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def _shown(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    if name not in CHARTS:
        raise BadAddress(f"there is no chart {name[:60]!r}; there is: {', '.join(CHARTS)}")
    benchmark, shelf = benchmark_or_404(slug), shelf_of(slug)
    view = view_of(benchmark, request.GET, shelf)
    found = CHARTS[name](view, shelf)
    wanted = request.GET.get("format", "")
    if wanted == "svg":
        answer = HttpResponse(svg_of(found), content_type="image/svg+xml")
        answer["Content-Disposition"] = f'attachment; filename="{slug}-{name}.svg"'
        return answer
    if wanted in pictures.TYPES:
        draw = chart_files.WRITERS[wanted]
        version = version_of(slug)
        return pictures.picture_response(
            request, wanted, name=f"{slug}-{name}", version=version, make=lambda: draw(found)
        )
    if wanted:
        if wanted not in FORMATS:
            known = ", ".join(("svg", *pictures.TYPES, *FORMATS))
            raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {known}")
        return formats.response(found.table, wanted, name=f"{slug}-{name}")
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "chart": found,
        "drawing": drawing_of(found),
        "name": name,
        "charts": CHART_NAMES.items(),
        "formats": FORMAT_NAMES.items(),
    }
    return render(request, "leaderboard/chart.html", context)
