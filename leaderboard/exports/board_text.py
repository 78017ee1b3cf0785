"""Boards as text with aligned columns, for a terminal."""

from collections.abc import Iterable, Sequence

from benchmarks.definitions.definition import Benchmark
from leaderboard.board.assemble import Board
from leaderboard.board.query import available_packs, view_of
from leaderboard.board.rows import board_of
from leaderboard.exports.table import board_table, sentence_of
from leaderboard.row_kinds import OURS


def boards_with_rows(benchmark: Benchmark, pack: str) -> list[Board]:
    """The boards that have rows, without published ones, grouped by the level's coarsest facet to fit a terminal."""
    found, available = [], available_packs(benchmark.slug)
    for strategy in (one for one in benchmark.strategies if not one.is_scored_apart):
        parameters = {"strategy": strategy.name, "pack": pack, "rows": ",".join(OURS)}
        view = view_of(benchmark, parameters | {"group": benchmark.level(strategy.level).groups[-1]}, available)
        found.append(board_of(view))
    return [board for board in found if board.rows]


def boards_as_text(boards: Iterable[Board]) -> str:
    return "\n\n".join(f"{sentence_of(board.view)}\n{_as_text(board)}" for board in boards)


def _as_text(board: Board) -> str:
    table = board_table(board)
    lines = [table.display_heads, *table.display_rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(line, widths, strict=True)
    return "  ".join((first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)))
