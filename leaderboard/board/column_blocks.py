"""Boards side by side: joins the rows of several views by answerer, with a block of columns for each view."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from leaderboard.board.assemble import BoardCell, BoardColumn, BoardRow, ColumnBlock
from leaderboard.board.query import View

WHOLE = "overall"


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


def joined(view: View, parts: Sequence[BoardBlock]) -> tuple[tuple[ColumnBlock, ...], list[BoardRow]]:
    """Blocks with their columns, and one row for each answerer. A column's key is BLOCK/VALUE or BLOCK/overall."""
    blocks = tuple(replace(part.block, columns=tuple(_columns(part))) for part in parts)
    main = getattr(view, view.blocks)
    own = main if isinstance(main, str) else main.name
    return blocks, [_row(line, own) for line in lines_of(parts)]


def _columns(part: BoardBlock) -> Iterable[BoardColumn]:
    block = part.block.key
    yield BoardColumn(f"{block}/{WHOLE}", _("Overall"), chance=part.chance, block=block)
    for column in part.columns:
        yield replace(column, key=f"{block}/{column.key}", block=block, value=column.key)


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


def _row(line: BlockRow, own: str) -> BoardRow:
    """The answerer's rows as one row, ranked by the overall figure of block `own` and linked to the model's page."""
    first = line.rows.get(own) or next(iter(line.rows.values()))
    cells = {
        f"{block}/{key}": cell for block, row in line.rows.items() for key, cell in _cells(row) if cell is not None
    }
    keys = {block: row.key for block, row in line.rows.items()}
    overall = line.rows[own].overall if own in line.rows else None
    link = first.link if first.kind == "published" else first.model_link or first.link
    return replace(first, cells=cells, overall=overall, keys=keys, link=link)


def _cells(row: BoardRow) -> Iterable[tuple[str, BoardCell | None]]:
    yield WHOLE, row.overall
    yield from row.cells.items()
