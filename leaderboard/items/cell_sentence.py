"""What the figure behind a list of items says: the board's own cell, and where it stands against chance."""

from dataclasses import dataclass

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.page_cache import cached_value
from leaderboard.board.board_row import OVERALL, BoardCell, BoardColumn
from leaderboard.board.cache import version_of
from leaderboard.board.cell_display import figure
from leaderboard.board.claims import claim_of
from leaderboard.board.query import BadAddress, view_of
from leaderboard.board.rows import board_of, key_of
from leaderboard.items.item_list import ItemList


@dataclass(frozen=True)
class CellFigure:
    """A cell of a board, its name on pages, and its p with the board's own correction."""

    cell: BoardCell
    key: str
    chance: float | None
    p: float | None

    @property
    def text(self) -> str:
        return figure(self.cell)

    @property
    def claim(self) -> str:
        """Where it stands against chance; "" where nothing can be said."""
        return claim_of(self.cell, self.chance, self.p)


def figure_of(wanted: ItemList) -> CellFigure | None:
    """The figure behind the list; None if the list is narrower than a cell, or has none."""
    facets = {name: value for name, value in wanted.facets.items() if name != "split"}
    if len(facets) > 1 or wanted.word:
        return None
    return cached_value(
        f"cell {wanted.query}", version=version_of(wanted.source.pack.benchmark), make=lambda: _of(wanted)
    )


def _of(wanted: ItemList) -> CellFigure | None:
    source, benchmark = wanted.source, BENCHMARKS[wanted.source.pack.benchmark]
    facet, value = next(((one, of) for one, of in wanted.facets.items() if one != "split"), ("", ""))
    own = {"strategy": source.run.strategy, "split": source.run.split} if source.run else {}
    named = {"condition": source.condition, "pack": source.pack.name, "dimension": wanted.dimension}
    named |= {"split": wanted.facets["split"]} if "split" in wanted.facets else {}
    if facet == "level" or not source.run:
        level = value if facet == "level" else _level_of(wanted)
        own |= {"level": level}
    if facet not in ("", "level"):
        own["group"] = facet
    try:
        board = board_of(view := view_of(benchmark, own | named))
    except BadAddress:
        return None
    row = next((one for one in board.rows if one.key == source.key), None)
    place = value if facet not in ("", "level") else OVERALL
    cell = row.cell(place) if row else None
    if row is None or cell is None or cell.score is None:
        return None
    column = next((one for one in board.columns if one.key == place), None)
    chance = cell.chance if cell.chance is not None else column.chance if column else board.chance
    chance = None if view.level.dimensions else chance
    key = key_of(row, view, BoardColumn(place, ""))
    return CellFigure(cell, key, chance, board.adjusted.get((row.key, place)))


def _level_of(wanted: ItemList) -> str:
    """The level whose questions a study asked."""
    benchmark, kinds = BENCHMARKS[wanted.source.pack.benchmark], {*wanted.source.kinds}
    strategies = (one for one in benchmark.strategies if kinds & {*one.kinds})
    return next((one.level for one in strategies if one.level), benchmark.levels[0].number)
