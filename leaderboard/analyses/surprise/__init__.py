"""The surprise of prediction models: figures over pairs of clips, and curves at one item."""

from collections.abc import Mapping

from benchmarks.definitions.definition import Benchmark
from leaderboard.analyses.surprise.at_item import chart_at
from leaderboard.analyses.surprise.figures import SURPRISE, add_to_run
from leaderboard.analyses.surprise.section import surprise_section, surprise_view
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.rows_apart import view_with


def view(benchmark: Benchmark, read: Mapping[str, str]) -> View:
    return surprise_view(view_with(benchmark, read, lambda one: one.by_surprise))


ANALYSIS = BoardAnalysis(
    name="surprise",
    title="What surprises a model?",
    lede="Models that predict what comes next and answer no question: are they more surprised by what cannot be?",
    view=view,
    section=surprise_section,
    key=SURPRISE,
    of_run=add_to_run,
    chart_at_item=chart_at,
)
