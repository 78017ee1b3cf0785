"""Pages and files of a paper's figure. The interactive form is in a frame with its own content security policy."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from benchmarks.gallery.page_cache import cached_value
from leaderboard.board.cache import version_of
from leaderboard.board.query import BadAddress, available_packs
from leaderboard.charts import grasp_figure_3
from leaderboard.charts.grasp_figure_3 import Figure3, chart_of, json_of
from leaderboard.charts.rendering.drawing import drawing_of
from leaderboard.charts.rendering.plotly_figure import in_both_themes
from leaderboard.charts.rendering.plotly_frame import frame, framed
from leaderboard.exports.writers import json_response
from leaderboard.pages.boards import benchmark_or_404, not_there
from leaderboard.pages.charts import chart_file


def figure_3(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of the figure with its table, or a file of either if `format` is given."""
    try:
        figure = _figure(request, slug)
        wanted = request.GET.get("format", "")
        if wanted == "json":
            return json_response(json_of(figure))
        if wanted:
            return chart_file(request, chart_of(figure), wanted, f"{slug}-figure-3")
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
    context = {
        "section": "boards",
        "benchmark": figure.view.benchmark,
        "figure": figure,
        "drawing": drawing_of(chart_of(figure)),
        "query": f"caution={figure.view.caution}" + (f"&pack={figure.view.pack.name}" if figure.view.pack else ""),
    }
    return render(request, "leaderboard/figure_3.html", context)


def figure_3_points(request: HttpRequest, slug: str) -> HttpResponse:
    """The figure as a Plotly figure, in JSON."""
    try:
        return json_response(in_both_themes(chart_of(_figure(request, slug))))
    except BadAddress as mistake:
        return json_response({"detail": str(mistake)}, status=404)


@framed
def figure_3_frame(request: HttpRequest, slug: str) -> HttpResponse:
    """The page in the frame that mounts the Plotly figure."""
    benchmark_or_404(slug)
    return frame(request, figure=f"{reverse('figure-3-points', args=[slug])}?{request.GET.urlencode()}")


def _figure(request: HttpRequest, slug: str) -> Figure3:
    benchmark = benchmark_or_404(slug)
    if not grasp_figure_3.has_figure_3(benchmark):
        raise BadAddress(f"{benchmark.title} has no such figure")
    name, available = request.GET.get("pack", ""), available_packs(slug)
    if name and not available.find(name):
        raise BadAddress(f"pack={name[:60]} does not exist here")
    caution = request.GET.get("caution", "in")
    return cached_value(
        f"figure-3:{slug}:{name}:{caution}",
        version=version_of(slug),
        make=lambda: grasp_figure_3.figure_3(benchmark, available.find(name), caution),
    )
