"""Assembles a board from a view and its rows: columns, order, ranks, and the rows of one referee (LLM judge)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchmarks.definitions.definition import FacetValue
from evaluation.referees.validation_samples import POSITIVE, RANDOM
from evaluation.studies.validation_report import DatasetReport, Separation, Validation, separation_of, validations
from leaderboard.board.board_row import BY_GROUP, OVERALL, BoardCell, BoardColumn, BoardRow, ColumnBlock
from leaderboard.board.query import BadAddress, View, unknown_value
from leaderboard.models import RankTest
from leaderboard.row_kinds import RowKind
from measures.estimate import family, ranks
from measures.figures import Rank
from measures.ranking import ordered

PAGE, PAGE_COLUMNS = 50, 24  # rows and columns
PLAIN_FIGURES = {"yes": "yes", "sensitivity": "d_prime", "repeats": "repeats"}  # name in the URL -> attribute of a cell


@dataclass(frozen=True)
class Board:
    """The content of one view. `ranked` and `columns` hold all; `page_rows` and `page_columns` those of the page.

    Pages go through all rows before they turn to the next columns.
    """

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
    doubt: "Doubt | None" = None  # if the shown referee's points are not ranked
    hidden: str = ""  # why rows of this site lack figures, in words; "" = nothing is hidden

    def unranked(self, doubt: "Doubt") -> "Board":
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
        start = (self.view.page - 1) % self._row_pages * PAGE
        return self.ranked[start : start + PAGE]

    @property
    def page_columns(self) -> tuple[BoardColumn, ...]:
        start = (self.view.page - 1) // self._row_pages * PAGE_COLUMNS
        return self.columns[start : start + PAGE_COLUMNS]

    @property
    def _row_pages(self) -> int:
        return max(1, -(-len(self.ranked) // PAGE))

    @property
    def page_count(self) -> int:
        return self._row_pages * max(1, -(-len(self.columns) // PAGE_COLUMNS))

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
    tested: RankTest | None = None,
) -> Board:
    """Rank, filter and order the rows of a view. Ranks are computed before filtering: a search moves nobody up."""
    order = _order(view, columns)
    tests = tested or RankTest(runs=[], packed=b"")
    uploaded = [row for row in rows if row.kind.is_uploaded]  # beside the ranking: others collected the answers
    ranked = [*_with_ranks([row for row in rows if row.kind.is_evaluated], tests), *uploaded]
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


def columns_of(view: View, rows: list[BoardRow]) -> list[BoardColumn]:
    """Columns of the facet's values on this level with a figure in some row, in the definition's order.

    A value that is part of another has none.
    """
    known = {key for row in rows for key in row.cells}
    of_groups = view.benchmark.groups if BY_GROUP in known else None
    first = [BoardColumn(BY_GROUP, f"By {of_groups.title}", chance=_measured(rows, BY_GROUP))] if of_groups else []
    values = view.benchmark.facet(view.group).values
    wanted = [value for value in values if value.level in ("", view.level.number) and not value.part_of]
    if view.caution == "out":
        wanted = [value for value in wanted if not value.caution]
    used = [value for value in wanted if value.value in known] or wanted
    return first + [column_of(view, value, rows) for value in used]


def column_of(view: View, value: FacetValue, rows: Sequence[BoardRow]) -> BoardColumn:
    """A column with its chance level: as the definition states it, else as measured on the items."""
    stated = _stated(view, value.value)
    chance = _measured(rows, value.value) if stated is None else stated
    return BoardColumn(value.value, value.title, value.number, value.caution, chance)


def chance_of(view: View, rows: list[BoardRow]) -> float | None:
    """Overall chance level: as measured on the items, else as the definition states it."""
    measured = _measured(rows, OVERALL)
    return _stated(view, OVERALL) if measured is None else measured


def _measured(rows: Sequence[BoardRow], column: str) -> float | None:
    return next((cell.chance for row in rows if (cell := row.cell(column)) and cell.chance is not None), None)


def _stated(view: View, column: str) -> float | None:
    return view.benchmark.chance(view.strategy.name, column) if view.unit == "question" else None


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


def _with_ranks(rows: list[BoardRow], tested: RankTest) -> list[BoardRow]:
    """Ranks from the test; rows outside the test are ranked by whether their intervals overlap."""
    known = {row.key: ends for row in rows if row.overall and (ends := row.overall.interval)}
    places = tested.places
    scores = [row.overall.score or 0.0 for row in rows if row.overall and row.key in known]
    found = dict(zip(known, ranks(tested.below(known), scores), strict=True))
    return [_ranked(row, found.get(row.key), is_tested=row.key in places) for row in rows]


def _ranked(row: BoardRow, rank: Rank | None, *, is_tested: bool) -> BoardRow:
    ends, group = (None, None) if rank is None else ((rank.best, rank.worst), rank.group)
    return replace(row, rank=ends, group=group, is_tested=is_tested)


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


def referees_among(rows: Iterable[BoardRow]) -> list[str]:
    """The referees that scored these rows, the one with the most rows first."""
    counts = Counter(row.referee for row in rows if row.referee)
    return sorted(counts, key=lambda name: (-counts[name], name))


def of_one_referee(view: View, rows: Sequence[BoardRow]) -> tuple[list[BoardRow], tuple[str, ...]]:
    """The rows of the view's referee, and the names of all: points of two are never ranked together."""
    names = referees_among(rows)
    if view.referee and view.referee not in names:
        raise BadAddress(f"no row here is scored by {view.referee!r}; there is: {', '.join(names) or 'none yet'}")
    current = view.referee or next(iter(names), "")
    return [row for row in rows if row.referee in ("", current)], tuple(names)


@dataclass(frozen=True)
class Reference:
    """A reference line of the board: a referee's scores of one kind of known answer. It is not an answerer."""

    kind: str
    referee: str
    cells: dict[str, float]  # data set -> share
    overall: float | None
    n: int


@dataclass(frozen=True)
class Doubt:
    """A referee that does not separate positive from random answers: its points are shown but not ranked."""

    referee: str
    separation: Separation


def doubt_about(view: View, referees: Sequence[str]) -> Doubt | None:
    """The doubt about the shown referee on this level's data sets; None if it discriminates or was not measured."""
    wanted = view.referee or next(iter(referees), "")
    if not wanted or not view.level.dimensions:
        return None
    for one in _nearest(view, validations(view.benchmark.slug, referee=wanted)):
        found = separation_of(_of_level(view, one.parts))
        if found and not found.discriminates:
            return Doubt(wanted, found)
    return None


def references_for(view: View, referees: Sequence[str]) -> list[Reference]:
    """The *positive* and *random* lines of the shown referee, or of every validated one if no rows are shown."""
    if not view.level.dimensions or view.group != "test":
        return []
    wanted = view.referee or next(iter(referees), "")
    found = _nearest(view, validations(view.benchmark.slug, referee=wanted))
    lines = [_reference(view, one.referee, kind, one.parts) for one in found for kind in (POSITIVE, RANDOM)]
    return [line for line in lines if line.cells]


def _nearest(view: View, found: Iterable[Validation]) -> list[Validation]:
    """Each referee's validation on the view's pack, else on the newest pack with data sets of this level."""
    chosen: dict[str, Validation] = {}
    for one in found:
        before = chosen.get(one.referee)
        is_in_view = before is not None and view.pack is not None and before.pack == view.pack.name
        if _of_level(view, one.parts) and not is_in_view:
            chosen[one.referee] = one
    return list(chosen.values())


def _of_level(view: View, parts: Sequence[DatasetReport]) -> list[DatasetReport]:
    datasets = {value.value for value in view.benchmark.facet("test").values if value.level == view.level.number}
    return [part for part in parts if part.dataset in datasets]


def _reference(view: View, referee: str, kind: str, parts: Sequence[DatasetReport]) -> Reference:
    own = _of_level(view, parts)
    shares = {part.dataset: _share_of_part(part, kind, view.dimension) for part in own}
    cells = {dataset: share for dataset, share in shares.items() if share is not None}
    counted = [part.scored[kind] for part in own if part.dataset in cells]
    total = sum(share * n for share, n in zip(cells.values(), counted, strict=True))
    return Reference(kind, referee, cells, total / sum(counted) if sum(counted) else None, sum(counted))


def _share_of_part(part: DatasetReport, kind: str, dimension: str) -> float | None:
    return part.means.get(kind, {}).get(dimension) if dimension else part.average(kind)
