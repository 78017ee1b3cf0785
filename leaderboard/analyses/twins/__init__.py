"""Accuracy over the two clips of a pair."""

from collections.abc import Mapping

from benchmarks.definitions.definition import Benchmark
from leaderboard.analyses.twins.figures import TWINS, add_to_people, add_to_run
from leaderboard.analyses.twins.section import twins_section
from leaderboard.board.query import BadAddress, View
from leaderboard.board_analysis import BoardAnalysis
from leaderboard.comparison.rows_apart import view_with


def view(benchmark: Benchmark, read: Mapping[str, str]) -> View:
    found = view_with(benchmark, read, lambda one: one.with_twin)
    if not any(benchmark.strategy(name).with_twin for name in found.level.strategies):
        raise BadAddress(f"{benchmark.title}, level {found.level.number}, has no twins")
    return found


ANALYSIS = BoardAnalysis(
    name="twins",
    title="Both of a pair",
    lede="The same scene with and without a violation: who is right about both?",
    view=view,
    section=twins_section,
    key=TWINS,
    of_run=add_to_run,
    of_people=add_to_people,
)
