"""The second at which a violation is named, by models and by people."""

from collections.abc import Mapping

from benchmarks.definitions.definition import Benchmark
from leaderboard.analyses.moments.at_item import ItemMomentsSerializer, moments_at
from leaderboard.analyses.moments.figures import MOMENT, add_to_people, add_to_run
from leaderboard.analyses.moments.section import moment_section, moment_view
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis, ItemLines
from leaderboard.comparison.rows_apart import view_with


def view(benchmark: Benchmark, read: Mapping[str, str]) -> View:
    return moment_view(view_with(benchmark, read, lambda one: one.by_moment))


ANALYSIS = BoardAnalysis(
    name="moments",
    title="When did it break?",
    lede="The second at which one can first know that something impossible happened, or nothing.",
    view=view,
    section=moment_section,
    key=MOMENT,
    of_run=add_to_run,
    of_people=add_to_people,
    lines_at_item=ItemLines(moments_at, ItemMomentsSerializer),
)
