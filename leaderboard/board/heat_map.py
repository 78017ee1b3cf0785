"""A board as a heat map: whole per cent, tinted in four steps by the distance from chance; one cell may be open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import groupby

from django.utils.translation import gettext as _

from benchmarks.definitions.concepts import CONCEPTS, Concept
from benchmarks.definitions.published_rows import in_words
from leaderboard.board.assemble import Board, BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import (
    CellDisplay,
    DisplayRow,
    chance_of_as_much,
    display_rows,
    number,
    percent,
    spread,
    tint,
)
from leaderboard.board.query import BadAddress
from leaderboard.board.rows import link_to_items, most_questions

FIT = 6  # columns of forest plots that fit a window of 1440 px
STEPS = 4
WHOLE = "overall"


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
    """One cell: `look` are its CSS classes, `key` names it in the URL when it is open, "" = it can't be opened."""

    text: str
    look: str
    title: str = ""
    key: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class HeatRow:
    """A row with its overall figure and its cells; `says` replaces the cells of a row that has none."""

    display: DisplayRow
    overall: CellDisplay
    whole: HeatCell
    cells: tuple[HeatCell, ...]
    says: str = ""


@dataclass(frozen=True)
class OpenCell:
    """The open cell: its row, its column, people on the same column, and its further figures as (name, text)."""

    row: BoardRow
    column: BoardColumn
    cell: BoardCell
    people: BoardRow | None
    people_cell: BoardCell | None
    facts: tuple[tuple[str, str], ...]
    is_late: bool  # whether its column is in the second half, so that the card goes before it
    items: str  # "" if a paper's figure has none here

    @property
    def name(self) -> str:
        return f"{self.row.name} {self.row.parameters}".strip()

    @property
    def people_text(self) -> str:
        """People's figure on the same column; "" without one."""
        return _figure(self.people_cell) if self.people_cell else ""


def is_heat(board: Board) -> bool:
    """Whether the board is shown as a heat map: as the URL says, else if forest plots would not fit."""
    view = board.view
    if not can_be_heat(board) or view.cells == "forest":
        return False
    return view.cells == "heat" or len(board.columns) > FIT


def can_be_heat(board: Board) -> bool:
    return board.view.columns == "accuracy" and not board.blocks


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
            columns.append(HeatColumn(column, tuple(map(_, concepts[column.key][1:])), is_first=number_in_group == 0))
    return columns, groups


def heat_rows(board: Board, rows: Sequence[BoardRow], columns: Sequence[HeatColumn]) -> list[HeatRow]:
    """The rows with their cells in the order of `columns`."""
    people = people_of(board)
    return [_row(board, one, columns, people) for one in display_rows(board, rows, whole_only=True)]


def people_of(board: Board) -> BoardRow | None:
    """The people that models are compared with: of several studies, the one with the most questions."""
    return most_questions(row for row in board.pinned if row.kind == "human" and row.overall)


def _row(board: Board, visible: DisplayRow, columns: Sequence[HeatColumn], people: BoardRow | None) -> HeatRow:
    row = visible.row
    overall = visible.cells[0]
    score = row.overall.score if row.overall else None
    brief = _brief(row, overall) if score is None else whole_percent(score)
    whole = HeatCell(brief, "", key=_key(row, WHOLE) if row.overall else "", is_open=_is_open(board, row, WHOLE))
    if not row.cells:
        return HeatRow(visible, overall, whole, (), says=_("not reported"))
    return HeatRow(visible, overall, whole, tuple(_cell(board, row, one, people) for one in columns))


def _brief(row: BoardRow, overall: CellDisplay) -> str:
    """The overall figure without a score, in short: "~80" for "about 80"."""
    printed = row.overall.published_text if row.overall else ""
    return printed.replace("about ", "~") if printed.startswith("about ") else overall.missing


def _key(row: BoardRow, column: str) -> str:
    return f"{row.key}~{column}"


def _is_open(board: Board, row: BoardRow, column: str) -> bool:
    return board.view.cell == _key(row, column)


def _cell(board: Board, row: BoardRow, one: HeatColumn, people: BoardRow | None) -> HeatCell:
    column, first = one.column, " first" if one.is_first else ""
    cell = row.cells.get(column.key)
    if cell is None:
        return HeatCell("–" if row.kind != "published" else _("not reported"), f"none{first}")
    if cell.score is None:
        return HeatCell(in_words(cell.published_text) or "–", f"none{first}", title=cell.note)
    key, steps = _key(row, column.key), steps_from_chance(row, cell, column.chance)
    is_open = board.view.cell == key
    look = f"{look_of(row, cell, steps, people.cell(column.key) if people else None)}{first}"
    look += " open" if is_open else ""
    ends = f" ({spread(cell.low, cell.high)})" if cell.low is not None else ""
    title = f"{column.title}: {cell.published_text or percent(cell.score)}{ends}{_side(steps)}"
    return HeatCell(whole_percent(cell.score), look, title, key, is_open)


def _side(steps: int) -> str:
    if not steps:
        return ""
    return ", " + (_("above chance") if steps > 0 else _("below chance"))


def look_of(row: BoardRow, cell: BoardCell, steps: int, people: BoardCell | None) -> str:
    """CSS classes of a cell so many steps from chance."""
    if _is_measure(row):
        return "measure"
    if steps <= 0:
        return f"b{-steps}" if steps else "nil"
    reaches = people and people.low is not None and cell.high is not None and cell.high >= people.low
    return f"a{steps} as-people" if reaches else f"a{steps}"


def steps_from_chance(row: BoardRow, cell: BoardCell, chance: float | None) -> int:
    """Steps of tint, 1 to 4 by ten points above chance, negative below; 0 unless a model's interval leaves chance."""
    if _is_measure(row) or row.kind == "published" or chance is None or cell.score is None or not tint(cell, chance):
        return 0
    points = round(100 * (cell.score - chance), 6)
    step = min(STEPS, 1 + int(abs(points) // 10))
    return step if points >= 0 else -step


def _is_measure(row: BoardRow) -> bool:
    return row.kind in ("human", "simulated") or row.of_people


@lru_cache(4096)
def whole_percent(share: float) -> str:
    """A share in whole per cent, half up: 0.825 is 83."""
    return str(Decimal(str(round(100 * share, 6))).quantize(Decimal(1), ROUND_HALF_UP))


def open_cell(board: Board) -> OpenCell | None:
    """The cell that the URL names; None if it names none, BadAddress if there is no such cell."""
    if not board.view.cell or not is_heat(board):
        return None
    key, _tilde, name = board.view.cell.partition("~")
    row = next((row for row in board.rows if row.key == key), None)
    columns = {WHOLE: BoardColumn("", _("Overall"), chance=board.chance)} | {one.key: one for one in board.columns}
    cell = row.cell(name) if row and name in columns else None
    if row is None or cell is None or cell.score is None:
        raise BadAddress(_("cell=%(cell)s: no row of this view has such a cell") % {"cell": board.view.cell[:60]})
    column, people = columns[name], people_of(board)
    ordered = [one.column for one in columns_by_concept(board)[0]]
    is_own = row.kind != "published"
    return OpenCell(
        row=row,
        column=column,
        cell=cell,
        people=None if people is row else people,
        people_cell=people.cell(name) if people and people is not row else None,
        facts=tuple(_facts(cell, board.adjusted.get((row.key, name)))),
        is_late=name in [one.key for one in ordered[len(ordered) // 2 :]],
        items=link_to_items(row, board.view, column) if is_own else "",
    )


def _facts(cell: BoardCell, p: float | None) -> Iterator[tuple[str, str]]:
    """The cell's further figures, as (name, text)."""
    if cell.published_text:
        yield _("As printed"), in_words(cell.published_text)
    else:
        yield _("Accuracy"), _figure(cell)
    if cell.note:
        yield _("Known issue"), cell.note
    if cell.n:
        yield _("Questions"), str(cell.n)
    if cell.positive.get("score") is not None and cell.negative.get("score") is not None:
        yield _("Where “yes” is right / “no” is right"), f"{_half(cell.positive)} / {_half(cell.negative)}"
    if cell.yes is not None:
        yield _("Yes rate"), f"{percent(cell.yes)} %"
    if cell.d_prime is not None:
        yield "d′", number(cell.d_prime)
    if p is not None:
        yield _("p against chance (Holm)"), chance_of_as_much(p)
    if cell.unread:
        yield _("Unparsed"), f"{percent(cell.unread)} %"
    if cell.rounded_to:
        yield _("Rounded"), _("to %(step)s points, since some answers are withheld") % {"step": cell.rounded_to}


def _figure(cell: BoardCell) -> str:
    ends = f" ({spread(cell.low, cell.high)})" if cell.low is not None else ""
    return f"{percent(cell.score or 0.0)} %{ends}"


def _half(half: Mapping[str, float]) -> str:
    return f"{percent(half['score'])} %"
