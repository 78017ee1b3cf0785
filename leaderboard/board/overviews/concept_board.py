"""One concept across benchmarks: the cells about it from all boards, models × benchmarks, people on top."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from benchmarks.definitions.concepts import WHOLE, Concept, ConceptTest
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.assemble import Board, column_of, in_order_of_kinds
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow, ColumnBlock, Leader, leaders, people_of
from leaderboard.board.cell_display import CellDisplay, DisplayRow, display_rows, is_hidden
from leaderboard.board.column_blocks import lines_of
from leaderboard.board.query import AvailablePacks, View, packs_of, view_of
from leaderboard.board.rows import board_of, key_of

Place = tuple[str, str, str]  # benchmark, level, facet that the board groups by


@dataclass(frozen=True)
class ConceptFigure:
    """One answerer's figure in one column, for a drawing; `words` say whose it is."""

    row: BoardRow
    cell: CellDisplay
    words: str
    tied: int = 0  # further models with the same figure
    key: str = ""  # the name of the figure, for pages

    @property
    def is_hollow(self) -> bool:
        return self.row.kind.is_hollow


@dataclass(frozen=True)
class ConceptLine:
    """One column's results: people and the leaders here and in papers, each None if there is no figure."""

    concept: Concept
    block: ColumnBlock
    column: BoardColumn
    people: ConceptFigure | None
    here: ConceptFigure | None
    reported: ConceptFigure | None


def place_of(test: ConceptTest) -> Place:
    return test.benchmark, test.level, test.group


def view_at(place: Place, available: AvailablePacks | None = None) -> View:
    """The default view of a place, grouped by its facet."""
    slug, level, group = place
    return view_of(BENCHMARKS[slug], {"level": level, "group": group}, available)


def boards_of(concepts: Iterable[Concept], *, with_parts: bool = True, model: str = "") -> dict[Place, Board]:
    """The default board of every place that shows one of the concepts, each read once; see `board_of` for `model`."""
    tests = [test for concept in concepts for test in concept.tests if with_parts or not test.is_part]
    shelves = packs_of(dict.fromkeys(test.benchmark for test in tests))
    places = dict.fromkeys(place_of(test) for test in tests)
    return {place: board_of(view_at(place, shelves[place[0]]), model) for place in places}


def concept_board(concept: Concept, boards: Mapping[Place, Board]) -> Board:
    """The concept's columns of these boards as one board in blocks, its rows joined by answerer; it has no ranks."""
    own = [(test, boards[place_of(test)]) for test in concept.tests if place_of(test) in boards]
    blocks = tuple(_block(test, board) for test, board in own)
    columns = tuple(column for block in blocks for column in block.columns)
    lines = lines_of((_key(test), _rows_about(test, board)) for test, board in own)
    rows = _in_order([_joined(line.rows) for line in lines], columns)
    return Board(
        view=blocks[0].view,
        columns=columns,
        pinned=tuple(row for row in in_order_of_kinds(rows) if row.kind.of_people),
        ranked=tuple(row for row in rows if row.kind.is_ranked),
        published=tuple(row for row in rows if not row.kind.is_ours),
        chance=None,
        shares_ranks=False,
        blocks=blocks,
        hidden=next((board.hidden for _, board in own if board.hidden), ""),
    )


def _block(test: ConceptTest, board: Board) -> ColumnBlock:
    key = _key(test)
    return ColumnBlock(key, _title(test), board.view.level.about, board.view, tuple(_columns(test, board, key)))


def _rows_about(test: ConceptTest, board: Board) -> Iterator[BoardRow]:
    """The rows that have a figure in the test's columns, or would have one that is hidden."""
    for row in board.rows:
        if any(_has_figure(row, value) for value in test.values) or is_hidden(board, row):
            yield _of_everybody(row)


def _key(test: ConceptTest) -> str:
    return "-".join(place_of(test))


def _columns(test: ConceptTest, board: Board, block: str) -> Iterator[BoardColumn]:
    known = {column.key: column for column in board.columns}
    values = {value.value: value for value in board.view.benchmark.facet(test.group).values}
    for name in test.values:
        key = f"{block}/{name}"
        if name == WHOLE:
            yield BoardColumn(key, board.view.level.title, chance=board.chance, block=block)
        else:
            yield replace(known.get(name) or column_of(board.view, values[name], []), key=key, block=block, value=name)


def _title(test: ConceptTest) -> str:
    benchmark = BENCHMARKS[test.benchmark]
    return f"{benchmark.title}, by test" if test.is_part else benchmark.title


def _of_everybody(row: BoardRow) -> BoardRow:
    """The row as that of all people: each study belongs to one benchmark, so studies of several share a line."""
    if not row.kind.of_people:
        return row
    return replace(row, answerer="", name=row.kind.words.capitalize(), note="")


def _has_figure(row: BoardRow, value: str) -> bool:
    cell = row.cell(value)
    return cell is not None and cell.score is not None


def _joined(rows: Mapping[str, BoardRow]) -> BoardRow:
    """One answerer's rows as one, with a cell for each column; nothing is averaged over benchmarks."""
    first = next(iter(rows.values()))
    cells: dict[str, BoardCell] = {}
    for block, row in rows.items():
        whole = {WHOLE: row.overall} if row.overall else {}
        cells |= {f"{block}/{value}": cell for value, cell in (row.cells | whole).items()}
    keys = {block: row.key for block, row in rows.items()}
    link = first.model_link if first.kind.is_ours else first.link
    return replace(first, cells=cells, overall=None, keys=keys, rank=None, group=None, distance=None, link=link)


def _in_order(rows: Sequence[BoardRow], columns: Sequence[BoardColumn]) -> list[BoardRow]:
    """Best first by the first column; rows without a figure there go by the next."""
    return sorted(rows, key=lambda row: ([-_score(row, column) for column in columns], row.name.casefold(), row.key))


def _score(row: BoardRow, column: BoardColumn) -> float:
    cell = row.cells.get(column.key)
    return -1.0 if cell is None or cell.score is None else cell.score


def concept_rows(board: Board, rows: Sequence[BoardRow]) -> list[DisplayRow]:
    """Rows with their cells, whose links lead to the items of the cell's own benchmark."""
    addresses = {block.key: reverse("board", args=[block.view.benchmark.slug]) for block in board.blocks}
    bases = [addresses[column.block] for column in board.columns]
    return [
        replace(row, cells=tuple(_linked(mark, base) for mark, base in zip(row.cells, bases, strict=True)))
        for row in display_rows(board, rows)
    ]


def _linked(mark: CellDisplay, base: str) -> CellDisplay:
    return replace(mark, href=base + mark.href) if mark.href else mark


def lines_of_concept(concept: Concept, board: Board) -> list[ConceptLine]:
    """People and the leaders of each column that is not part of another."""
    parts = {_key(test) for test in concept.tests if test.is_part}
    return [_line(concept, board, place, one) for place, one in enumerate(board.columns) if one.block not in parts]


def _line(concept: Concept, board: Board, place: int, column: BoardColumn) -> ConceptLine:
    people, leading = people_of(board.rows, column.key).row, leaders(board.rows, column.key)
    return ConceptLine(
        concept=concept,
        block=next(block for block in board.blocks if block.key == column.block),
        column=column,
        people=_figure(board, place, people, _words_of_people(people)) if people else None,
        here=_of_leader(board, place, leading.here),
        reported=_of_leader(board, place, leading.reported),
    )


def _words_of_people(row: BoardRow) -> str:
    return "people" if row.kind.is_ours else f"people, {row.kind.words}"


def _of_leader(board: Board, place: int, leader: Leader | None) -> ConceptFigure | None:
    return _figure(board, place, leader.row, leader.words, len(leader.tied_with)) if leader else None


def _figure(board: Board, place: int, row: BoardRow, words: str, tied: int = 0) -> ConceptFigure:
    return ConceptFigure(row, concept_rows(board, [row])[0].cells[place], words, tied, key_in(board, row, place))


def key_in(board: Board, row: BoardRow, place: int) -> str:
    """The name of the row's figure in the column at this place of a concept's board."""
    column = board.columns[place]
    view = next(block.view for block in board.blocks if block.key == column.block)
    return key_of(row, view, column)
