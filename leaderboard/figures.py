"""Pages and files of a figure. The interactive form lives in a frame with a policy of its own."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard import figure_files, formats, pictures, plots
from leaderboard.address import BadAddress, shelf_of
from leaderboard.caching import version_of
from leaderboard.frames import frame, framed
from leaderboard.views import benchmark_or_404, not_there

FORMATS = ("json", "svg", "csv", "md", "latex", "xlsx", "bib")


def figure_3(request: HttpRequest, slug: str) -> HttpResponse:
    """The figure, its table and both as files."""
    try:
        figure = _figure(request, slug)
        wanted = request.GET.get("format", "")
        if wanted in pictures.TYPES:
            draw = figure_files.WRITERS[wanted]
            name, version = f"{slug}-figure-3", version_of(slug)
            return pictures.picture_response(request, wanted, name=name, version=version, make=lambda: draw(figure))
        if wanted:
            return _file(figure, wanted)
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
    context = {
        "section": "boards",
        "benchmark": figure.view.benchmark,
        "figure": figure,
        "drawing": plots.drawing_of(figure),
        "query": f"caution={figure.view.caution}" + (f"&pack={figure.view.pack.name}" if figure.view.pack else ""),
    }
    return render(request, "leaderboard/figure_3.html", context)


@framed
def figure_3_frame(request: HttpRequest, slug: str) -> HttpResponse:
    """Plotly's drawing of it."""
    benchmark_or_404(slug)
    points = f"{reverse('figure-3', args=[slug])}?{request.GET.urlencode()}&format=json"
    return frame(request, points=points, script="js/plot-figure-3.js")


def _figure(request: HttpRequest, slug: str) -> plots.Figure:
    benchmark = benchmark_or_404(slug)
    if not plots.has_figure_3(benchmark):
        raise BadAddress(f"{benchmark.title} has no such figure")
    name, shelf = request.GET.get("pack", ""), shelf_of(slug)
    if name and not shelf.find(name):
        raise BadAddress(f"pack={name[:60]} does not exist here")
    caution = request.GET.get("caution", "in")
    return plots.figure_3(benchmark, shelf.find(name), caution)


def _file(figure: plots.Figure, wanted: str) -> HttpResponse:
    if wanted not in FORMATS:
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
    if wanted == "json":
        return formats.json_response(plots.plotly_json(figure))
    name = f"{figure.view.benchmark.slug}-figure-3"
    if wanted == "svg":
        answer = HttpResponse(figure_files.svg_of(figure), content_type="image/svg+xml")
        answer["Content-Disposition"] = f'attachment; filename="{name}.svg"'
        return answer
    return formats.response(plots.table_of(figure), wanted, name=name)
