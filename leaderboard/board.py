"""A view and its standings put together: columns, rows in order, ranks. Pages, API and exports all start here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from leaderboard.address import BadAddress, View
from leaderboard.distances import Distance
from leaderboard.words import CONDITIONS
from measures.intervals import Interval
from measures.multiplicity import holm
from measures.ranking import ordered, rank_ranges, tie_groups

PAGE, PAGE_OF_BLOCKS = 50, 20  # rows; a row of blocks has several times as many cells
PINNED = ("human", "simulated")
PLAIN_FIGURES = {"yes": "yes", "sensitivity": "d_prime", "repeats": "repeats"}  # what the address calls a cell's figure


@dataclass(frozen=True)
class Cell:
    """One figure of a board, shares 0 to 1. A published one has `printed` as the paper has it, and nothing of ours."""

    score: float | None = None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unread: float | None = None
    chance: float | None = None
    printed: str = ""
    mark: str = ""
    yes: float | None = None
    d_prime: float | None = None
    criterion: float | None = None
    p: float | None = None  # of the exact test against guessing, alone
    repeats: float | None = None  # share of replies that give the answer of the example again
    positive: dict[str, Any] = field(default_factory=dict)
    negative: dict[str, Any] = field(default_factory=dict)
    dimensions: dict[str, Any] = field(default_factory=dict)  # of a mean: what a referee scored, each apart
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """One value of the facet that the board groups by."""

    key: str
    title: str
    number: int | None = None
    caution: str = ""
    chance: float | None = None
    block: str = ""
    value: str = ""  # the facet's value where the key names the block as well; "" = everything

    @property
    def is_whole(self) -> bool:
        """Whether it is the overall column of its block."""
        return bool(self.block) and not self.value


@dataclass(frozen=True)
class Block:
    """Columns that stand together: one way of asking, or one thing shown; `view` is the board of it alone."""

    key: str
    title: str
    about: str
    view: View
    columns: tuple[Column, ...] = ()


@dataclass(frozen=True)
class BoardRow:
    """One answerer on one board; `key` finds it again ("run-12", "trial-try-it", "published-3")."""

    key: str
    name: str
    kind: str
    cells: dict[str, Cell]
    overall: Cell | None
    revision: str = ""
    note: str = ""
    link: str = ""
    made_here: bool = False
    marks: tuple[str, ...] = ()  # what staff say about an upload: baseline, verified
    of_people: bool = False
    parameters: str = ""
    rank: tuple[int, int] | None = None
    distance: Distance | None = None
    group: int | None = None  # of rows that can't be told from the highest among them, 1 for the best
    answerer: str = ""  # the same under every way of asking and every condition
    sampler: str = ""
    model_link: str = ""
    referee: str = ""  # whose scores it shows, "" = scored by rule, or not yet
    paper: str = ""  # of the model: its BibTeX entry, else where it stands
    keys: Mapping[str, str] = field(default_factory=dict)  # block -> key of the row that stands in it

    def cell(self, column: str) -> Cell | None:
        return self.overall if column == "overall" else self.cells.get(column)


@dataclass(frozen=True)
class Board:
    """What one view shows. `ranked` holds all rows in their order, `page_rows` those of the page."""

    view: View
    columns: tuple[Column, ...]
    pinned: tuple[BoardRow, ...]
    ranked: tuple[BoardRow, ...]
    published: tuple[BoardRow, ...]
    chance: float | None
    shares_ranks: bool
    blocks: tuple[Block, ...] = ()
    referees: tuple[str, ...] = ()  # of whom there are rows; those of one are shown

    @property
    def page_size(self) -> int:
        return PAGE_OF_BLOCKS if self.view.blocks else PAGE

    @property
    def page_rows(self) -> tuple[BoardRow, ...]:
        start = (self.view.page - 1) * self.page_size
        return self.ranked[start : start + self.page_size]

    @property
    def page_count(self) -> int:
        return max(1, -(-len(self.ranked) // self.page_size))

    @cached_property
    def adjusted(self) -> dict[tuple[str, str], float | None]:
        """(row, column) -> p against guessing by Holm's correction over every cell of the view, whatever its page."""
        keys = [column.key for column in self.columns] + ([] if self.blocks else ["overall"])
        tested = [
            (row, key, cell.p) for row in self.ranked for key in keys if (cell := row.cell(key)) and cell.p is not None
        ]
        found = holm([p for *_, p in tested])
        return {(row.key, key): p for (row, key, _), p in zip(tested, found, strict=True)}

    @property
    def rows(self) -> tuple[BoardRow, ...]:
        return self.pinned + self.ranked + self.published

    @property
    def has_distances(self) -> bool:
        return any(row.distance for row in self.ranked)

    @property
    def is_empty(self) -> bool:
        return not self.rows


def assemble(view: View, columns: Sequence[Column], rows: Sequence[BoardRow], chance: float | None) -> Board:
    """Rank, filter and order the rows of a view. Ranks stand before any filter: a search moves nobody up."""
    order = _order(view, columns)
    ranked = _with_ranks([row for row in rows if row.kind not in (*PINNED, "published")])
    shown = [row for row in ranked if _is_wanted(view, row)]
    published = [row for row in rows if row.kind == "published" and _is_wanted(view, row)]
    board = Board(
        view=view,
        columns=tuple(columns),
        pinned=tuple(row for kind in PINNED for row in rows if row.kind == kind and kind in view.rows),
        ranked=tuple(in_order(order, shown)),
        published=tuple(published if order.sort == "overall" else in_order(order, published)),
        chance=chance,
        shares_ranks=any(row.rank and row.rank[0] < row.rank[1] for row in shown),
    )
    if view.page > board.page_count:
        raise BadAddress(f"page={view.page}: this view has {board.page_count} page(s)")
    return board


def _order(view: View, columns: Sequence[Column]) -> View:
    """The view by what its rows are ordered: a column that other switches would show orders nothing here."""
    known = ["overall", "name", "unread", "people", *(column.key for column in columns)]
    wanted = view.sort.removeprefix("-")
    if wanted in known:
        return view
    if wanted in _elsewhere(view):
        return replace(view, sort="overall")
    raise BadAddress(
        f"sort={view.sort[:60]} does not exist here; there is: {', '.join(known)}, each also with - before"
    )


def _elsewhere(view: View) -> set[str]:
    """Columns that this view would have with other rows, parts or caution."""
    values = {value.value for value in view.benchmark.facet(view.group).values}
    if not view.blocks:
        return values
    blocks = {*view.level.strategies, *CONDITIONS, view.condition}
    return {f"{block}/{value}" for block in blocks for value in (*values, "overall")}


def _with_ranks(rows: list[BoardRow]) -> list[BoardRow]:
    intervals = [_interval(row.overall) for row in rows]
    places = zip(rows, rank_ranges(intervals), tie_groups(intervals), strict=True)
    return [replace(row, rank=rank, group=group) for row, rank, group in places]


def _interval(cell: Cell | None) -> Interval | None:
    if cell is None or cell.low is None or cell.high is None:
        return None
    return Interval(cell.low, cell.high)


def _is_wanted(view: View, row: BoardRow) -> bool:
    return row.kind in view.rows and view.search.casefold() in f"{row.name} {row.parameters}".casefold()


def in_order(view: View, rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Best first, "-" worst first; what has no figure comes last both ways. Equals go by name."""
    by_name = sorted(rows, key=lambda row: (row.name.casefold(), row.key))
    turned, key = view.sort.startswith("-"), view.sort.removeprefix("-")
    if key == "name":
        return by_name[::-1] if turned else by_name
    is_less_better = key == "unread"
    return ordered(by_name, key=lambda row: figure(view, row, key), descending=turned == is_less_better)


def figure(view: View, row: BoardRow, column: str) -> float | None:
    """The number that a column sorts by."""
    if column == "people":
        return row.distance.value if row.distance else None
    cell = row.overall if column == "unread" else row.cell(column)
    if cell is None:
        return None
    if column == "unread":
        return cell.unread
    if view.columns in PLAIN_FIGURES:
        return getattr(cell, PLAIN_FIGURES[view.columns])
    return _of_halves(cell) if view.columns == "halves" else cell.score


def _of_halves(cell: Cell) -> float | None:
    """Both answers together, else always saying yes would lead the order."""
    halves = (cell.negative.get("score"), cell.positive.get("score"))
    known = [half for half in halves if half is not None]
    return cell.score if cell.score is not None or len(known) < 2 else sum(known) / 2
