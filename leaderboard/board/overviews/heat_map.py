"""A board as a heat map: whole per cent, tinted in four steps by the distance from chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import groupby

from benchmarks.definitions.concepts import CONCEPTS, Concept
from leaderboard.board import board_row
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import (
    CellDisplay,
    DisplayRow,
    display_rows,
    facts_of,
    score_text,
    spread,
    steps_from_chance,
)
from leaderboard.board.rows import link_to_items
from measures.estimate import lies_below

FIT = 6  # columns of forest plots that fit a window of 1440 px


@dataclass(frozen=True)
class HeatColumn:
    """A column of the heat map; `also` are titles of the further concepts that its test is about."""

    column: BoardColumn
    also: tuple[str, ...] = ()
    is_first: bool = False  # of its concept


@dataclass(frozen=True)
class HeatGroup:
    """Neighbouring columns of one concept."""

    concept: Concept
    span: int


@dataclass(frozen=True)
class HeatCell:
    """One cell: `look` are its CSS classes, `href` leads to its items, "" = a paper's figure has none here."""

    text: str
    look: str
    title: str = ""
    href: str = ""


@dataclass(frozen=True)
class HeatRow:
    """A row with its overall figure, also in brief, and its cells; `says` replaces the cells of a row without any."""

    display: DisplayRow
    overall: CellDisplay
    brief: str
    cells: tuple[HeatCell, ...]
    says: str = ""


def is_heat(board: Board) -> bool:
    """Whether the board is shown as a heat map: if forest plots of all its columns would not fit."""
    return board.view.columns == "accuracy" and len(board.columns) > FIT


def columns_by_concept(board: Board) -> tuple[list[HeatColumn], list[HeatGroup]]:
    """The columns ordered by concept, with their groups; unchanged and without groups if tests have no concepts."""
    concepts = {value.value: value.concepts for value in board.view.benchmark.facet(board.view.group).values}
    known = {concept.slug.replace("-", " "): concept for concept in CONCEPTS.values()}
    if not all(concepts.get(column.key, ())[:1] and concepts[column.key][0] in known for column in board.columns):
        return [HeatColumn(column) for column in board.columns], []
    place = {name: number for number, name in enumerate(known)}
    ordered = sorted(board.columns, key=lambda column: place[concepts[column.key][0]])
    columns, groups = [], []
    for name, found in groupby(ordered, key=lambda column: concepts[column.key][0]):
        own = list(found)
        groups.append(HeatGroup(known[name], len(own)))
        for number_in_group, column in enumerate(own):
            columns.append(HeatColumn(column, tuple(concepts[column.key][1:]), is_first=number_in_group == 0))
    return columns, groups


def heat_rows(board: Board, rows: Sequence[BoardRow], columns: Sequence[HeatColumn]) -> list[HeatRow]:
    """The rows with their cells in the order of `columns`."""
    people = people_of(board)
    return [_row(board, row, columns, people) for row in display_rows(board, rows, whole_only=True)]


def people_of(board: Board) -> BoardRow | None:
    """The people of this site that models are compared with."""
    return board_row.people_of(board.pinned).here


def _row(board: Board, visible: DisplayRow, columns: Sequence[HeatColumn], people: BoardRow | None) -> HeatRow:
    row = visible.row
    overall = visible.cells[0]
    brief = _brief(row, overall) if row.overall is None or row.overall.score is None else _whole(row.overall)
    if not row.cells:
        return HeatRow(visible, overall, brief, (), says=(board.hidden or "–") if row.kind.is_ours else "not reported")
    return HeatRow(visible, overall, brief, tuple(_cell(board, row, column, people) for column in columns))


def _brief(row: BoardRow, overall: CellDisplay) -> str:
    """The overall figure without a score, in short: "~80" for "about 80"."""
    printed = row.overall.published_text if row.overall else ""
    return printed.replace("about ", "~") if printed.startswith("about ") else overall.missing


def _cell(board: Board, row: BoardRow, one: HeatColumn, people: BoardRow | None) -> HeatCell:
    column, first = one.column, " first" if one.is_first else ""
    cell = row.cells.get(column.key)
    if cell is None:
        return HeatCell("–" if row.kind.is_ours else "not reported", f"none{first}")
    if cell.score is None:
        return HeatCell(cell.published_text or "–", f"none{first}", title=cell.note)
    p = board.adjusted.get((row.key, column.key))
    steps = steps_of(row, cell, column.chance, p)
    look = f"{look_of(row, cell, steps, people.cell(column.key) if people else None)}{first}"
    ends = f" ({spread(cell.low, cell.high)})" if cell.low is not None else ""
    title = f"{column.title}: {cell.published_text or score_text(cell)}{ends}{_side(steps)}"
    if not row.kind.is_ours:
        return HeatCell(_whole(cell), look, ". ".join(filter(None, (title, cell.note))))
    href = link_to_items(row, board.view, column)
    return HeatCell(_whole(cell), look, f"{title}, {facts_of(cell, p)}", href)


def _whole(cell: BoardCell) -> str:
    """The score in whole per cent; a rounded one as its range."""
    return score_text(cell) if cell.range or cell.score is None else whole_percent(cell.score)


def _side(steps: int) -> str:
    if not steps:
        return ""
    return ", " + ("above chance" if steps > 0 else "below chance")


def look_of(row: BoardRow, cell: BoardCell, steps: int, people: BoardCell | None) -> str:
    """CSS classes of a cell so many steps from chance."""
    if row.is_people:
        return "measure"
    if steps <= 0:
        return f"b{-steps}" if steps else "nil"
    ends, their_ends = cell.interval, people.interval if people else None
    reaches = ends and their_ends and not lies_below(ends, their_ends)
    return f"a{steps} as-people" if reaches else f"a{steps}"


def steps_of(row: BoardRow, cell: BoardCell, chance: float | None, p: float | None) -> int:
    """The cell's steps of tint; 0 for people, who are the measure, and for what a paper prints."""
    return 0 if row.is_people or not row.kind.is_ours else steps_from_chance(cell, chance, p)


@lru_cache(4096)
def whole_percent(share: float) -> str:
    """A share in whole per cent, half up: 0.825 is 83."""
    return str(Decimal(str(round(100 * share, 6))).quantize(Decimal(1), ROUND_HALF_UP))
