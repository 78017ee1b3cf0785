"""Boards side by side: the rows of several views joined answerer by answerer, each view a block of columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from leaderboard.address import View
from leaderboard.board import Block, BoardRow, Cell, Column

WHOLE = "overall"


@dataclass(frozen=True)
class Part:
    """One block with the rows and columns of its own board."""

    block: Block
    columns: Sequence[Column]
    chance: float | None
    rows: Sequence[BoardRow]


@dataclass
class Line:
    """One answerer over all blocks: block -> its row there."""

    sampler: str
    rows: dict[str, BoardRow] = field(default_factory=dict)

    def takes(self, row: BoardRow, block: str) -> bool:
        """Frames sampled otherwise are another answerer; where no frame is shown there is nothing to tell apart."""
        return block not in self.rows and (not row.sampler or not self.sampler or row.sampler == self.sampler)

    def take(self, row: BoardRow, block: str) -> None:
        self.rows[block] = row
        self.sampler = self.sampler or row.sampler


def joined(view: View, parts: Sequence[Part]) -> tuple[tuple[Block, ...], list[BoardRow]]:
    """Blocks with their columns, and one row an answerer. A column's key is BLOCK/VALUE, or BLOCK/overall."""
    blocks = tuple(replace(part.block, columns=tuple(_columns(part))) for part in parts)
    main = getattr(view, view.blocks)
    own = main if isinstance(main, str) else main.name
    return blocks, [_row(line, own) for line in lines_of(parts)]


def _columns(part: Part) -> Iterable[Column]:
    block = part.block.key
    yield Column(f"{block}/{WHOLE}", "Overall", chance=part.chance, block=block)
    for column in part.columns:
        yield replace(column, key=f"{block}/{column.key}", block=block, value=column.key)


def lines_of(parts: Sequence[Part]) -> list[Line]:
    """In the order in which answerers first appear; whoever can't be joined has a line alone."""
    found: dict[tuple[str, str], list[Line]] = {}
    for part in parts:
        for row in part.rows:
            lines = found.setdefault((row.kind, row.answerer), [])
            line = next((line for line in lines if line.takes(row, part.block.key)), None)
            if line is None:
                lines.append(line := Line(row.sampler))
            line.take(row, part.block.key)
    return [line for lines in found.values() for line in lines]


def _row(line: Line, own: str) -> BoardRow:
    """The answerer's rows as one, ranked by its own block's overall figure; its name leads to all of its runs."""
    first = line.rows.get(own) or next(iter(line.rows.values()))
    cells = {
        f"{block}/{key}": cell for block, row in line.rows.items() for key, cell in _cells(row) if cell is not None
    }
    keys = {block: row.key for block, row in line.rows.items()}
    overall = line.rows[own].overall if own in line.rows else None
    return replace(first, cells=cells, overall=overall, keys=keys, link=first.model_link or first.link)


def _cells(row: BoardRow) -> Iterable[tuple[str, Cell | None]]:
    yield WHOLE, row.overall
    yield from row.cells.items()
