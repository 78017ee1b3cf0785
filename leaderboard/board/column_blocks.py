"""Joins the rows of several views by answerer, with a block of columns for each view."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.board.board_row import BoardRow


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


def lines_of(blocks: Iterable[tuple[str, Iterable[BoardRow]]]) -> list[BlockRow]:
    """One line for each answerer of these blocks, each a key with rows; a row that joins no line starts its own.

    Lines are in order of first appearance.
    """
    found: dict[tuple[str, str], list[BlockRow]] = {}
    for block, rows in blocks:
        for row in rows:
            lines = found.setdefault((row.kind, row.answerer), [])
            line = next((line for line in lines if line.takes(row, block)), None)
            if line is None:
                lines.append(line := BlockRow(row.sampler))
            line.take(row, block)
    return [line for lines in found.values() for line in lines]
