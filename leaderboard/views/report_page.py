"""A page of one table and its chart, or the table as a file."""

from collections.abc import Sequence
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.board.controls import main_switches
from leaderboard.board.query import FORMATS, BadAddress, View
from leaderboard.charts.chart import Chart
from leaderboard.charts.drawing import page_drawing_of
from leaderboard.comparison.report_section import ReportSection
from leaderboard.exports import writers
from leaderboard.exports.provenance import of_view
from leaderboard.labels import FORMATS as FORMAT_NAMES

TURNED = ("Level", "Clips")  # controls of the board that apply here


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
            {"chart": chart, "drawing": page_drawing_of(chart), "mark": f"{section.badge}-{number}"}
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
