"""The page of an analysis: one table and its charts, or the table as a file."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.board.controls import main_switches
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis, analyses
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.comparison.report_section import ReportSection
from leaderboard.exports import writers
from leaderboard.exports.provenance import of_view
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.pages.boards import below_a_board, benchmark_or_404

TURNED = ("Level", "Clips")  # controls of the board that apply here


@below_a_board
def analysis_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The page of this name, or its table as a file if `format` is given."""
    analysis = analyses()[name]
    view = analysis.view(benchmark_or_404(slug), request.GET.dict())
    section = analysis.section(view)
    if wanted := request.GET.get("format"):
        provenance = of_view(view, tuple(line.row for line in section.lines))
        table = replace(section.table(), provenance=provenance)
        return writers.response(table, wanted, name=f"{slug}-{section.badge}")
    return render(request, "leaderboard/report.html", _context(analysis, view, section))


def _context(analysis: BoardAnalysis, view: View, section: ReportSection) -> dict[str, object]:
    return {
        "section": "boards",
        "benchmark": view.benchmark,
        "view": view,
        "title": analysis.title,
        "lede": analysis.lede,
        "report": section,
        "figures": [
            {"chart": chart, "drawing": page_drawing_of(chart), "mark": f"{section.badge}-{number}"}
            for number, chart in enumerate(section.charts)
        ],
        "switches": [switch for switch in main_switches(view) if switch.legend in (*TURNED, *section.turned)],
        "formats": FORMAT_NAMES.items(),
    }
