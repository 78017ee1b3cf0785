"""The papers' tables as printed, with rows of this site in the same columns."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.published_data import AVERAGE, PublishedColumn, PublishedTable
from benchmarks.models import Origin, Pack
from leaderboard.board.board_row import BoardRow
from leaderboard.board.cell_display import points
from leaderboard.board.query import AvailablePacks, View, available_packs, view_of
from leaderboard.board.rows import rows_of_standings
from leaderboard.comparison.by_condition import pairs_between
from leaderboard.exports.table import OwnCells, Table, Value, cell_in_per_cent, with_own_rows
from leaderboard.row_kinds import RowKind
from measures.estimate import ESTIMATOR, difference

MEASURED = ("", "accuracy", AVERAGE)  # figures that a row of this site has, besides its level's dimensions


@dataclass
class OwnRow:
    """The row of one answerer of this site in a paper's table, filled column by column."""

    name: str
    subset: str
    kind: RowKind
    cells: dict[str, Value] = field(default_factory=dict)  # title of a column -> per cent
    counts: list[int] = field(default_factory=list)  # number of answers behind each figure
    stood: dict[str, tuple[View, BoardRow]] = field(default_factory=dict)  # title -> source of the figure


def table_of(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...], name: str) -> Table:
    """The paper's rows as printed, then the rows of this site; cells that were not measured are empty."""
    printed = next(table for table in benchmark.tables if table.name == name)
    body: list[tuple[Value, ...]] = []
    if "published" in rows:
        body += [(*row.labels, *(cell or None for cell in row.cells)) for row in printed.rows]
    own = list(own_rows(RowSource(benchmark, pack, available_packs(benchmark.slug), rows), printed)) if pack else []
    measured = [
        OwnCells(
            (*_labels(printed, row), *(row.cells.get(column.title) for column in printed.columns)), row.counts, row.kind
        )
        for row in own
    ]
    title = f"{benchmark.title}, {printed.source}: {printed.title}"
    notes = (*printed.notes, *printed.note_sentences) if "published" in rows else ()
    notes = (*notes, *whose_rows(len(own), pack, benchmark))
    notes = (*notes, *(note for row in own for note in intervals_of(row, printed)))
    return with_own_rows(Table(title, printed.heads, tuple(body), notes), measured)


def whose_rows(count: int, pack: Pack | None, benchmark: Benchmark) -> Iterator[str]:
    """A note that says which rows are this site's, and on which clips they were measured."""
    if count and pack:
        which = "last row was" if count == 1 else f"last {count} rows were"
        prepared = "the official clips" if benchmark.is_released else "items of the same data sets, not the paper's own"
        clips = prepared if pack.origin == Origin.OFFICIAL else "clips that were made here, not the paper's"
        yield f"The {which} measured by this site on the pack {pack.name}: {clips}."


@dataclass(frozen=True)
class RowSource:
    """The pack and the kinds of row from which own rows are taken."""

    benchmark: Benchmark
    pack: Pack
    packs: AvailablePacks
    kinds: tuple[str, ...]


def own_rows(source: RowSource, printed: PublishedTable) -> Iterator[OwnRow]:
    """One row per answerer, subset and strategy; across levels, first strategies share a row, second ones the next."""
    columns = [one for one in printed.columns if is_measured(source.benchmark, one)]
    ways = [len(source.benchmark.level(column.place["level"]).strategies) for column in columns]
    for subset in dict.fromkeys((*(row.place.get("split", "") for row in printed.rows), *printed.own_splits)):
        for way in range(max(ways, default=0)):
            found: dict[tuple[str, str], OwnRow] = {}
            for column in columns:
                for name, value, view, row in _figures(source, column, subset, way):
                    own = found.setdefault(_identity(row), OwnRow(name, subset, row.kind))
                    own.counts += [cell.n for cell in (row.cell(column.column),) if cell and cell.n]
                    own.cells[column.title], own.stood[column.title] = value, (view, row)
            yield from (with_differences(row, printed) for row in found.values())


def is_measured(benchmark: Benchmark, column: PublishedColumn) -> bool:
    """Whether rows of this site can have a figure in this column."""
    if not column.column or "level" not in column.place:
        return False
    return column.figure in (*MEASURED, *benchmark.level(column.place["level"]).dimensions)


def with_differences(row: OwnRow, printed: PublishedTable) -> OwnRow:
    """The row with its difference columns filled in, computed from unrounded figures on the same questions."""
    for column in printed.columns:
        first, second = (row.cells.get(title) for title in column.difference or ("", ""))
        if isinstance(first, float | int) and isinstance(second, float | int):
            row.cells[column.title] = first - second
    return row


def intervals_of(row: OwnRow, printed: PublishedTable) -> Iterator[str]:
    """Notes with the intervals of an own row's differences, paired by item; a paper's table has no column for them."""
    for column in printed.columns:
        first, second = (row.stood.get(title) for title in column.difference or ("", ""))
        pairs = pairs_between(first[0], first[1], second[1]) if first and second else []
        if pairs:
            found = difference(pairs)
            ends = f"{points(found.interval.low)} to {points(found.interval.high)}"
            what = f"{', '.join(_labels(printed, row))}: {column.title} {points(found.value)} points"
            yield f"{what}, 95 % interval {ends}, paired on {found.n} items, {ESTIMATOR}."


def _figures(
    source: RowSource, column: PublishedColumn, subset: str, way: int
) -> Iterator[tuple[str, Value, View, BoardRow]]:
    """Name, per cent, view and board row of every answerer; people only with the first strategy, their only one."""
    level = source.benchmark.level(column.place["level"])
    strategies = level.strategies
    if way >= len(strategies):
        return
    parameters = {**column.place, "strategy": strategies[way], "pack": source.pack.name}
    parameters |= {"dimension": column.figure} if column.figure in level.dimensions else {}
    view = view_of(source.benchmark, parameters | ({"split": subset} if subset else {}), source.packs)
    for row in rows_of_standings(view):
        cell = row.cell(column.column)
        if row.kind in source.kinds and cell and not (way and row.kind.of_people):
            suffix = "" if row.kind.of_people else f" ({view.strategy.title})"
            scored = f", {row.note}" if level.dimensions and row.note else ""  # two referees make two rows
            yield row.full_name + suffix + scored, cell_in_per_cent(cell), view, row


def _identity(row: BoardRow) -> tuple[str, str]:
    """Key of an answerer's row: its runs under other conditions or splits share one row of the paper's table."""
    return row.kind, f"{row.full_name} {row.revision} {row.note if not row.kind.of_people else ''}"


def _labels(printed: PublishedTable, row: OwnRow) -> tuple[str, ...]:
    if len(printed.labels) > 1:
        return (row.name, row.subset.capitalize())
    return (f"{row.name}, {row.subset}" if row.subset else row.name,)
