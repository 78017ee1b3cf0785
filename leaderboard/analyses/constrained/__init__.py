"""Free replies beside replies constrained to the options."""

from leaderboard.analyses.constrained.section import constrained_section, free_and_held
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.report_section import ReportSection


def section(view: View) -> ReportSection:
    return constrained_section(free_and_held(view), view)


ANALYSIS = BoardAnalysis(
    name="constrained",
    title="Form or knowledge?",
    lede="The same models with free replies, and with replies constrained to the options.",
    view=view_of,
    section=section,
)
