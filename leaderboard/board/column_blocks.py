"""Joins the rows of several views by answerer, with a block of columns for each view."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.board.board_row import BoardColumn, BoardRow, ColumnBlock


@dataclass(frozen=True)
class BoardBlock:
    """One block with its own board's columns, chance level and rows."""

    block: ColumnBlock
    columns: Sequence[BoardColumn]
    chance: float | None
    rows: Sequence[BoardRow]


@dataclass
class BlockRow:
    """One answerer's rows over all blocks, by block."""

    sampler: str
    rows: dict[str, BoardRow] = field(default_factory=dict)

    def takes(self, row: BoardRow, block: str) -> bool:
        """Whether this row joins the line: both need the same frame sampler, unless either has none."""
        return block not in self.rows and (not row.sampler or not self.sampler or row.sampler == self.sampler)

    def take(self, row: BoardRow, block: str) -> None:
        self.rows[block] = row
        self.sampler = self.sampler or row.sampler


def lines_of(parts: Sequence[BoardBlock]) -> list[BlockRow]:
    """One line for each answerer, in order of first appearance; a row that joins no line starts its own."""
    found: dict[tuple[str, str], list[BlockRow]] = {}
    for part in parts:
        for row in part.rows:
            lines = found.setdefault((row.kind, row.answerer), [])
            line = next((line for line in lines if line.takes(row, part.block.key)), None)
            if line is None:
                lines.append(line := BlockRow(row.sampler))
            line.take(row, part.block.key)
    return [line for lines in found.values() for line in lines]
