"""The spread of accuracy over wordings and orders of options."""

from dataclasses import replace

from leaderboard.analyses.wordings.chart import wordings_chart
from leaderboard.analyses.wordings.figures import WORDINGS, add_to_run, spread
from leaderboard.analyses.wordings.section import rows_by_wording, wording_section
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.report_section import ReportSection


def section(view: View) -> ReportSection:
    found = rows_by_wording(view)
    return replace(wording_section(found), charts=(wordings_chart(found),) if found else ())


ANALYSIS = BoardAnalysis(
    name="wordings",
    title="How much does the wording matter?",
    lede="The same questions in several wordings, with the options in different orders.",
    view=view_of,
    section=section,
    key=WORDINGS,
    of_run=add_to_run,
    note=spread,
)
