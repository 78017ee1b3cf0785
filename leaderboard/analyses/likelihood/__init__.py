"""The probabilities of answers: margins stored with rows, their figures, and the curve of calibration."""

from dataclasses import replace

from leaderboard.analyses.likelihood.chart import calibration_chart
from leaderboard.analyses.likelihood.figures import add_to_run
from leaderboard.analyses.likelihood.section import likelihood_section, margin_in, rows_by_likelihood
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.report_section import ReportSection
from leaderboard.standings.confidence import MARGIN


def section(view: View) -> ReportSection:
    found = rows_by_likelihood(view)
    curves = [(row.name, bins) for _strategy, row in found if (bins := margin_in(row).get("bins"))]
    return replace(likelihood_section(found), charts=(calibration_chart(curves),) if curves else ())


ANALYSIS = BoardAnalysis(
    name="likelihood",
    title="How sure are the answers?",
    lede="The probabilities that models give to yes and no, and how sure people said they were.",
    view=view_of,
    section=section,
    key=MARGIN,
    of_run=add_to_run,
)
