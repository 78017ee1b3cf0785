"""Page of likelihoods: figures of the probabilities of answers, and how well they are calibrated."""

from collections.abc import Sequence
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.board.controls import main_switches
from leaderboard.board.query import FORMATS, BadAddress, View, view_of
from leaderboard.charts.calibration_chart import calibration_chart
from leaderboard.charts.chart import Chart
from leaderboard.charts.drawing import drawing_of
from leaderboard.comparison.likelihood import likelihood_section, margin_in, rows_by_likelihood
from leaderboard.comparison.report_section import ReportSection
from leaderboard.exports import writers
from leaderboard.exports.provenance import of_view
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.views.boards import benchmark_or_404, not_there

TURNED = ("Level", "Clips")  # controls of the board that apply here


def likelihood(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = benchmark_or_404(slug)
    try:
        view = view_of(benchmark, request.GET)
        found = rows_by_likelihood(view)
        curves = [(row.name, bins) for _strategy, row in found if (bins := margin_in(row).get("bins"))]
        return report_page(
            request,
            view,
            title=_("How sure are the answers?"),
            lede=_("The probabilities that models give to yes and no, and how sure people said they were."),
            section=likelihood_section(found),
            charts=[calibration_chart(curves)] if curves else [],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def report_page(
    request: HttpRequest, view: View, *, title: str, lede: str, section: ReportSection, charts: Sequence[Chart] = ()
) -> HttpResponse:
    """A page of one section and its charts, or its table as a file if `format` is given."""
    if wanted := request.GET.get("format"):
        return download(view, section, wanted)
    context = {
        "section": "boards",
        "benchmark": view.benchmark,
        "view": view,
        "title": title,
        "lede": lede,
        "report": section,
        "figures": [
            {"chart": chart, "drawing": drawing_of(chart), "mark": f"{section.badge}-{number}"}
            for number, chart in enumerate(charts)
        ],
        "switches": [switch for switch in main_switches(view) if switch.legend in (*TURNED, *section.turned)],
        "formats": FORMAT_NAMES.items(),
    }
    return render(request, "leaderboard/report.html", context)


def download(view: View, section: ReportSection, wanted: str) -> HttpResponse:
    if wanted not in FORMATS:
        raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
    provenance = of_view(view, tuple(line.row for line in section.lines))
    table = replace(section.table(), provenance=provenance)
    return writers.response(table, wanted, name=f"{view.benchmark.slug}-{section.badge}")
