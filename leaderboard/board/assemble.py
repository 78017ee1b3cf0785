"""Assembles a board from a view and its rows: columns, order and ranks. Pages, API and exports all start here."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from leaderboard.board.query import BadAddress, View, unknown_value
from leaderboard.row_kinds import RowKind
from leaderboard.standings.human_gaps import Distance
from leaderboard.standings.rank_tests import NOTHING_TESTED, RowsBelow
from measures.estimate import family, ranks
from measures.figures import Interval, Rank
from measures.ranking import ordered

PAGE = 50  # rows
ABOUT = re.compile(r"about (\d+)")
BY_GROUP = "by-group"  # key of the column with the score of groups of questions, beside overall
PLAIN_FIGURES = {"yes": "yes", "sensitivity": "d_prime", "repeats": "repeats"}  # name in the URL -> attribute of a cell


@dataclass(frozen=True)
class BoardCell:
    """One figure of a board; shares are 0 to 1. A published cell has `printed`, the paper's text, and no n or p."""

    score: float | None = None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unread: float | None = None
    chance: float | None = None
    published_text: str = ""
    note: str = ""
    yes: float | None = None
    d_prime: float | None = None
    criterion: float | None = None
    p: float | None = None  # of the test against guessing, uncorrected
    repeats: float | None = None  # share of replies that repeat the example's answer
    positive: dict[str, Any] = field(default_factory=dict)
    negative: dict[str, Any] = field(default_factory=dict)
    dimensions: dict[str, Any] = field(default_factory=dict)  # of a referee: dimension -> cell
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def has_figure(self) -> bool:
        return self.score is not None or bool(self.positive or self.negative)

    @property
    def share(self) -> float | None:
        """The score; 0.8 for "about 80", which has no place in a board's order."""
        if self.score is not None:
            return self.score
        about = ABOUT.fullmatch(self.published_text)
        return float(about[1]) / 100 if about else None

    @property
    def interval(self) -> Interval | None:
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def group(self) -> dict[str, Any] | None:
        """The score of the groups of these questions: score, n, low, high, chance, incomplete; None without."""
        return self.facts.get("group")

    @property
    def rounded_to(self) -> str:
        """The rounding step, in points, of a figure with withheld answers (decision 0012); "" if it is exact."""
        return f"{100 * step:g}" if (step := self.facts.get("step")) else ""

    @property
    def range(self) -> tuple[float, float] | None:
        """The shares between which a rounded figure lies; None if it is exact."""
        return self.range_of(self.score)

    def range_of(self, share: float | None) -> tuple[float, float] | None:
        """The same of another share of this cell, such as that of the answer yes."""
        step = self.facts.get("step")
        if not step or share is None:
            return None
        return max(0.0, round(share - step / 2, 6)), min(1.0, round(share + step / 2, 6))


@dataclass(frozen=True)
class BoardColumn:
    """One value of the facet that the board groups by."""

    key: str
    title: str
    number: int | None = None
    caution: str = ""
    chance: float | None = None
    block: str = ""
    value: str = ""  # in a block, whose key also names the block: the facet's value, "" = overall

    @property
    def is_by_group(self) -> bool:
        """Whether it shows the score of groups of questions, all together."""
        return self.key == BY_GROUP

    @property
    def is_whole(self) -> bool:
        """Whether this is the overall column of a block."""
        return bool(self.block) and not self.value


@dataclass(frozen=True)
class ColumnBlock:
    """The columns of one strategy or one condition; `view` is the board of that block alone."""

    key: str
    title: str
    about: str
    view: View
    columns: tuple[BoardColumn, ...] = ()


@dataclass(frozen=True)
class BoardRow:
    """One answerer on one board, identified by `key` ("run-12", "trial-try-it", "published-3")."""

    key: str
    name: str
    kind: RowKind
    cells: dict[str, BoardCell]
    overall: BoardCell | None
    revision: str = ""
    note: str = ""
    link: str = ""
    made_here: bool = False
    badges: tuple[str, ...] = ()  # what staff checked of an upload: verified
    of_people: bool = False
    tier: str = ""  # of EvidenceTier; "" = simulated people
    is_baseline: bool = False  # guessing, a control, a majority answer, trained on these scenes: never the best model
    parameters: str = ""
    apart: str = ""  # settings in which it differs from rows that look alike
    rank: tuple[int, int] | None = None
    distance: Distance | None = None
    group: int | None = None  # tie group, 1 for the best
    is_tested: bool = False  # its rank comes from the test of all pairs together
    answerer: str = ""  # the same across strategies and conditions
    sampler: str = ""
    model_link: str = ""
    referee: str = ""  # whose scores are shown, "" = scored by rule, or not scored yet
    paper: str = ""  # the model's BibTeX entry, else its address
    citation: str = ""  # the later paper that prints this row, with its date; '' = the benchmark's own, or no paper
    keys: Mapping[str, str] = field(default_factory=dict)  # block -> key of its row

    @property
    def title(self) -> str:
        """The name with the model's size."""
        return f"{self.name} {self.parameters}".strip()

    @property
    def full_name(self) -> str:
        """The title, with what sets the row apart from others of the model."""
        return self.title + (f" ({self.apart})" if self.apart else "")

    @property
    def is_people(self) -> bool:
        """Whether people answered, or simulated people: here, or as a paper reports."""
        return self.kind.of_people or self.of_people

    @property
    def has_figure(self) -> bool:
        """Whether some cell holds a number; papers may report words only."""
        return any(cell.has_figure for cell in (self.overall, *self.cells.values()) if cell)

    def cell(self, column: str) -> BoardCell | None:
        return self.overall if column == "overall" else self.cells.get(column)


@dataclass(frozen=True)
class Board:
    """The content of one view. `ranked` holds all rows in order, `page_rows` those of the current page."""

    view: View
    columns: tuple[BoardColumn, ...]
    pinned: tuple[BoardRow, ...]
    ranked: tuple[BoardRow, ...]
    published: tuple[BoardRow, ...]
    chance: float | None
    shares_ranks: bool
    blocks: tuple[ColumnBlock, ...] = ()
    referees: tuple[str, ...] = ()  # all referees with rows here; only one referee's rows are shown
    candidates: tuple[BoardRow, ...] = ()  # all rows of the view, with those that its filters leave out
    doubt: Any = None  # referee_rows.Doubt if the shown referee's points are not ranked
    hidden: str = ""  # why rows of this site lack figures, in words; "" = nothing is hidden

    def unranked(self, doubt: Any) -> "Board":
        """The board with all rows in their order, and no ranks or tie groups."""

        def plain(rows: tuple[BoardRow, ...]) -> tuple[BoardRow, ...]:
            return tuple(replace(row, rank=None, group=None) for row in rows)

        return replace(self, doubt=doubt, ranked=plain(self.ranked), pinned=plain(self.pinned), shares_ranks=False)

    @property
    def is_rounded(self) -> bool:
        """Whether some row has rounded figures because answers are withheld."""
        return any(row.overall and row.overall.rounded_to for row in self.ranked)

    @property
    def are_ranks_tested(self) -> bool:
        """Whether some rank comes from the test of all pairs together."""
        return any(row.is_tested for row in self.ranked)

    @property
    def untested(self) -> int:
        """The number of ranks from overlapping intervals on a board whose other ranks are tested together."""
        return sum(not row.is_tested and row.rank is not None for row in self.ranked) if self.are_ranks_tested else 0

    @property
    def of_the_paper(self) -> tuple[BoardRow, ...]:
        """Models with a figure in the benchmark's own paper."""
        return tuple(row for row in self.published if row.has_figure and not (row.citation or row.of_people))

    @property
    def of_later_papers(self) -> tuple[BoardRow, ...]:
        """Models with a figure in later papers."""
        return tuple(row for row in self.published if row.has_figure and row.citation)

    @property
    def people_of_papers(self) -> tuple[BoardRow, ...]:
        """Reported people, who come first in every order."""
        return tuple(row for row in self.published if row.of_people)

    @property
    def unprinted(self) -> tuple[BoardRow, ...]:
        """Models of papers without a number in this view."""
        return tuple(row for row in self.published if not (row.has_figure or row.of_people))

    @property
    def page_rows(self) -> tuple[BoardRow, ...]:
        start = (self.view.page - 1) * PAGE
        return self.ranked[start : start + PAGE]

    @property
    def page_count(self) -> int:
        return max(1, -(-len(self.ranked) // PAGE))

    @cached_property
    def adjusted(self) -> dict[tuple[str, str], float | None]:
        """(row, column) -> p against guessing, with Holm's correction over the cells of all pages of the view."""
        keys = [column.key for column in self.columns] + ([] if self.blocks else ["overall"])
        tested = [
            (row, key, cell.p) for row in self.ranked for key in keys if (cell := row.cell(key)) and cell.p is not None
        ]
        found = family([p for *_, p in tested])
        return {(row.key, key): p for (row, key, _), p in zip(tested, found, strict=True)}

    @property
    def rows(self) -> tuple[BoardRow, ...]:
        return self.pinned + self.ranked + self.published

    @property
    def has_human_gaps(self) -> bool:
        return any(row.distance for row in self.ranked)

    @property
    def is_empty(self) -> bool:
        return not self.rows


def assemble(
    view: View,
    columns: Sequence[BoardColumn],
    rows: Sequence[BoardRow],
    chance: float | None,
    tested: RowsBelow = NOTHING_TESTED,
) -> Board:
    """Rank, filter and order the rows of a view. Ranks are computed before filtering: a search moves nobody up."""
    order = _order(view, columns)
    ranked = _with_ranks([row for row in rows if row.kind.is_ranked], tested)
    displayed = [row for row in ranked if is_wanted(view, row)]
    published = [row for row in rows if not row.kind.is_ours and is_wanted(view, row)]
    board = Board(
        view=view,
        columns=tuple(columns),
        pinned=tuple(row for row in in_order_of_kinds(rows) if row.kind.of_people and row.kind in view.rows),
        ranked=tuple(in_order(order, displayed)),
        published=tuple(in_order(order, published)),
        chance=chance,
        candidates=tuple(rows),
        shares_ranks=any(row.rank and row.rank[0] < row.rank[1] for row in displayed),
    )
    if view.page > board.page_count:
        raise BadAddress(f"page={view.page}: this view has {board.page_count} page(s)")
    return board


def in_order_of_kinds(rows: Iterable[BoardRow]) -> list[BoardRow]:
    """People, simulated people, models evaluated here, uploaded and reported ones; each kind in the given order."""
    order = list(RowKind)
    return sorted(rows, key=lambda row: order.index(row.kind))


def is_wanted(view: View, row: BoardRow) -> bool:
    """Whether the view shows this row; a search keeps reported people, who are the reference."""
    is_named = view.search.casefold() in row.title.casefold()
    return row.kind in view.rows and (row.of_people or is_named)


def _order(view: View, columns: Sequence[BoardColumn]) -> View:
    """The view to order by: its own, or the default order if it sorts by a column that is not shown here."""
    known = ["overall", "name", "unread", "people", *(column.key for column in columns)]
    wanted = view.sort.removeprefix("-")
    if wanted in known:
        return view
    if wanted in {value.value for value in view.benchmark.facet(view.group).values}:
        return replace(view, sort="overall")
    raise BadAddress(unknown_value("sort", view.sort, known) + ", each also with - before")


def _with_ranks(rows: list[BoardRow], tested: RowsBelow) -> list[BoardRow]:
    """Ranks from the test; rows outside the test are ranked by whether their intervals overlap."""
    known = {row.key: ends for row in rows if row.overall and (ends := row.overall.interval)}
    below = tested.completed(known)
    scores = [row.overall.score or 0.0 for row in rows if row.overall and row.key in known]
    found = dict(zip(known, ranks(below, scores), strict=True))
    return [_ranked(row, found.get(row.key), tested) for row in rows]


def _ranked(row: BoardRow, rank: Rank | None, tested: RowsBelow) -> BoardRow:
    ends, group = (None, None) if rank is None else ((rank.best, rank.worst), rank.group)
    return replace(row, rank=ends, group=group, is_tested=row.key in tested.places)


def in_order(view: View, rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Rows sorted best first, or worst first for "-"; rows without a figure come last, ties go by name."""
    by_name = sorted(rows, key=lambda row: (row.name.casefold(), row.key))
    turned, key = view.sort.startswith("-"), view.sort.removeprefix("-")
    if key == "name":
        return by_name[::-1] if turned else by_name
    is_less_better = key == "unread"
    return ordered(by_name, key=lambda row: figure(view, row, key), descending=turned == is_less_better)


def figure(view: View, row: BoardRow, column: str) -> float | None:
    """The number by which a column sorts this row."""
    if column == "people":
        return row.distance.value if row.distance else None
    cell = row.overall if column == "unread" else row.cell(column)
    if cell is None:
        return None
    if column == "unread":
        return cell.unread
    if view.columns in PLAIN_FIGURES:
        return getattr(cell, PLAIN_FIGURES[view.columns])
    return _polarity_mean(cell) if view.columns == "halves" else cell.score


def _polarity_mean(cell: BoardCell) -> float | None:
    """The score, or the mean of both polarities: sorting by one would favour answerers that always say yes."""
    scores = (cell.negative.get("score"), cell.positive.get("score"))
    known = [half for half in scores if half is not None]
    return cell.score if cell.score is not None or len(known) < 2 else sum(known) / 2
