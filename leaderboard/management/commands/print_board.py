"""`manage.py print_board SLUG`."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import UnknownBenchmark, find_benchmark
from leaderboard.board.assemble import Board
from leaderboard.board.query import AvailablePacks, BadAddress, available_packs, view_of
from leaderboard.board.rows import board_of
from leaderboard.exports.table import board_json, board_table, sentence_of
from leaderboard.standings.refresh import refresh


class Command(SiteCommand):
    help = "Print a benchmark's boards, one for each level and strategy with rows. Safe to run again: it only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--pack", default="")

    def handle(self, *, slug: str, pack: str, **options: Any) -> None:
        refresh()
        try:
            benchmark, available = find_benchmark(slug), available_packs(slug)
            boards = list(boards_with_rows(benchmark, available, pack))
        except (UnknownBenchmark, BadAddress) as mistake:
            raise CallerMistake(str(mistake)) from mistake
        texts = [f"{sentence_of(board.view)}\n{as_text(board)}" for board in boards]
        facts = {"benchmark": slug, "boards": [board_json(board) for board in boards]}
        self.say(options, facts, "\n\n".join(texts) or f"{benchmark.title}: nobody has answered yet")


def boards_with_rows(benchmark: Benchmark, available: AvailablePacks, pack: str) -> list[Board]:
    """The boards that have rows, without published ones, grouped by the level's coarsest facet to fit a terminal."""
    found = []
    for strategy in (one for one in benchmark.strategies if not one.is_scored_apart):
        parameters = {"strategy": strategy.name, "pack": pack, "rows": "human,simulated,run,uploaded"}
        view = view_of(benchmark, parameters | {"group": benchmark.level(strategy.level).groups[-1]}, available)
        found.append(board_of(view))
    return [board for board in found if board.rows]


def as_text(board: Board) -> str:
    """The board as text with aligned columns."""
    table = board_table(board)
    lines = [table.display_heads, *table.display_rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(line, widths, strict=True)
    return "  ".join((first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)))
