"""Accuracy against the tokens, cost and time of an answer."""

from dataclasses import replace

from leaderboard.analyses.effort.chart import cost_chart, people_chart, tokens_chart
from leaderboard.analyses.effort.figures import EFFORT, add_to_run
from leaderboard.analyses.effort.section import effort_section, efforts, people_by_time
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.report_section import ReportSection


def section(view: View) -> ReportSection:
    found = efforts(view)
    charts = (tokens_chart(found), cost_chart(found), people_chart(people_by_time(view)))
    return replace(effort_section(found, view), charts=[chart for chart in charts if chart])


ANALYSIS = BoardAnalysis(
    name="effort",
    title="What does an answer take?",
    lede="Accuracy beside the tokens that a model writes, what they cost, and the time that people take.",
    view=view_of,
    section=section,
    key=EFFORT,
    of_run=add_to_run,
)
