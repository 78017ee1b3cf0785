"""Accuracy on the clips that the frames shown to an answerer can decide."""

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.definitions.definition import Benchmark
from leaderboard.analyses.same_eyes.chart import frames_chart
from leaderboard.analyses.same_eyes.figures import DECIDABLE, add_to_people, add_to_run
from leaderboard.analyses.same_eyes.section import ceilings, decidable_rows, same_eyes_section
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.report_section import ReportSection
from leaderboard.comparison.rows_apart import view_with


def view(benchmark: Benchmark, read: Mapping[str, str]) -> View:
    return view_with(benchmark, read, lambda one: one.by_moment)


def section(view: View) -> ReportSection:
    found, ceiling = decidable_rows(view), ceilings(view)
    answerers: dict[str, list[tuple[int, float]]] = {}
    for one in found:
        answerers.setdefault(f"{one.row.name}, {one.prompting}", []).append((one.frames, one.figures["all"]["score"]))
    return replace(same_eyes_section(found), charts=(frames_chart(answerers, ceiling),) if ceiling else ())


ANALYSIS = BoardAnalysis(
    name="same-eyes",
    title="Same eyes",
    lede="Could the answer be seen in the frames that were sent? Nobody can be right about what was not shown.",
    view=view,
    section=section,
    key=DECIDABLE,
    of_run=add_to_run,
    of_people=add_to_people,
)
