"""The page of an analysis: the rows of a level that hold its figures, and a table with a line for each and charts."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from django.db.models import F, QuerySet

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.packs.item_arrays import ALL
from evaluation.models import Run
from leaderboard.board.board_row import BoardRow
from leaderboard.board.cell_display import between
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.board.rows import with_strategy
from leaderboard.exports.table import Table, Value, text_of
from leaderboard.models import Standing

if TYPE_CHECKING:
    from leaderboard.charts.chart import Chart


WHOLE = "all"  # the last word of a line over all items
ENDS = ("low", "high")  # heads of an interval, after that of its figure


@dataclass(frozen=True)
class ReportLine:
    """One answerer: its row on the board, further texts about it, and its figures."""

    row: BoardRow
    words: tuple[str, ...]
    figures: tuple[Value, ...]

    @property
    def texts(self) -> list[str]:
        """The figures with four digits at most; 0 without a sign."""
        return [f"{value + 0.0:.4g}" if isinstance(value, float) else text_of(value) for value in self.figures]

    @property
    def display_texts(self) -> list[str]:
        """The same with minus signs, for pages."""
        return [text.replace("-", "−") if text[1:2].isdigit() else text for text in self.texts]


@dataclass(frozen=True)
class ReportedFigure:
    """A figure that others print, and what is known against it; without a figure, what is known alone."""

    name: str
    figure: str
    about: str
    source: str
    link: str
    caveat: str


@dataclass(frozen=True)
class ReportSection:
    """`heads` name the texts and then the figures; `empty` says what is missing if there is no line."""

    badge: str
    title: str
    heads: tuple[str, ...]
    lines: Sequence[ReportLine]
    answer: str = ""  # the sentence under the title, from the figures of the lines
    note: str = ""
    empty: str = ""
    turned: tuple[str, ...] = ()  # further controls of the board that apply to it
    charts: "Sequence[Chart]" = ()
    reported: Sequence[ReportedFigure] = ()  # by others, never beside the lines

    @property
    def word_heads(self) -> tuple[str, ...]:
        return self.heads[: len(self.lines[0].words)] if self.lines else ()

    @property
    def figure_heads(self) -> tuple[str, ...]:
        return self.heads[len(self.word_heads) :]

    @property
    def columns(self) -> list["FigureColumn"]:
        """The columns of figures on the page: an interval stands in the cell of its figure."""
        heads = self.figure_heads
        return [
            FigureColumn(head, place, heads[place + 1 : place + 3] == ENDS)
            for place, head in enumerate(heads)
            if head not in ENDS
        ]

    @property
    def whole(self) -> list[list["DisplayLine"]]:
        """The lines over all items, each by itself."""
        lines = (line for line in self.lines if not self._has_parts or line.words[-1] == WHOLE)
        return [[self._displayed(line, len(self.whole_heads))] for line in lines]

    @property
    def parts(self) -> list[list["DisplayLine"]]:
        """The lines by value of a facet, if there are any, by answerer, each name once; files keep the lines' order."""
        found: dict[str, list[DisplayLine]] = defaultdict(list)
        for line in self.lines:
            if self._has_parts and line.words[-1] != WHOLE:
                found[line.row.key].append(self._displayed(line, len(self.word_heads)))
        return list(found.values())

    @property
    def part_head(self) -> str:
        return self.word_heads[-1]

    @property
    def part_label(self) -> str:
        return f"{self.title} by {self.part_head.lower()}"

    @property
    def _has_parts(self) -> bool:
        return any(line.words and line.words[-1] == WHOLE for line in self.lines)

    @property
    def whole_heads(self) -> tuple[str, ...]:
        """The heads of the texts beside figures over all items, which need not say so."""
        return self.word_heads[:-1] if self._has_parts else self.word_heads

    def _displayed(self, line: ReportLine, words: int) -> "DisplayLine":
        return line, line.words[:words], [column.texts(line) for column in self.columns]

    @property
    def has_simulated(self) -> bool:
        return any(line.row.kind.is_simulated for line in self.lines)

    def table(self) -> Table:
        """The section as a table for export."""
        rows = tuple((line.row.name, line.row.kind, *line.words, *line.figures) for line in self.lines)
        printed = tuple((line.row.name, line.row.kind, *line.words, *line.texts) for line in self.lines)
        heads = ("Who", "Kind", *self.heads)
        return Table(self.title, heads, rows, (self.note,) if self.note else (), heads, printed)


@dataclass(frozen=True)
class FigureColumn:
    """A column of figures: its head, the place of its figure, and whether the next two are its interval."""

    head: str
    place: int
    has_ends: bool

    def texts(self, line: ReportLine) -> tuple[str, str, str]:
        """The head, the figure of a line and its interval."""
        text, *ends = line.display_texts[self.place : self.place + (3 if self.has_ends else 1)]
        known = bool(ends) and line.figures[self.place + 1] is not None
        return self.head, text, (between(*ends) if "−" in "".join(ends) else "–".join(ends)) if known else ""


DisplayLine = tuple[ReportLine, tuple[str, ...], list[tuple[str, str, str]]]  # with its words and its figures
Answerer = TypeVar("Answerer")


def per_cent(*shares: float | None) -> tuple[Value, ...]:
    """Shares in per cent with one decimal; None where there is none."""
    return tuple(None if share is None else round(100 * share, 1) for share in shares)


def view_with(benchmark: Benchmark, read: Mapping[str, str], wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the address, by default on the level of the strategy wanted."""
    level = next((strategy.level for strategy in benchmark.strategies if wanted(strategy)), "")
    return view_of(benchmark, {"level": level} | dict(read))


def view_apart(benchmark: Benchmark, read: Mapping[str, str], wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the strategy wanted, which boards of accuracy leave out; BadAddress if its level has none."""
    view = view_with(benchmark, read, wanted)
    found = [strategy for strategy in benchmark.strategies if wanted(strategy) and strategy.level == view.level.number]
    if not found:
        raise BadAddress(f"{view.benchmark.title}, level {view.level.number}, has no such questions")
    return with_strategy(view, found[0])


def rows_apart(view: View, key: str) -> list[tuple[BoardRow, dict[str, Any]]]:
    """The runs and studies of the view with figures under this key over all items, each with these; people first."""
    found = rows_holding(view, key, (view.strategy.name,), (view.condition,))
    return [(row, standing.overall[key]) for standing, row in found if standing.overall[key][ALL]]


def rows_holding(
    view: View, key: str, strategies: Sequence[str], conditions: Sequence[str]
) -> Iterator[tuple[Standing, BoardRow]]:
    """The standings of runs and studies with these strategies and conditions that hold this key; people first."""
    for one in _standings(view, strategies, conditions):
        if one.overall.get(key):
            yield one, row_of(one)


def row_of(one: Standing) -> BoardRow:
    """The row of a standing's study or run, without its cells."""
    source, named = (one.trial, "trial") if one.trial else (one.run, "run")
    assert source is not None
    link, is_baseline = source.get_absolute_url(), bool(one.run and one.run.is_baseline)
    return BoardRow(f"{named}-{source.pk}", one.name, one.row_kind, {}, None, link=link, is_baseline=is_baseline)


def standings_of_level(view: View) -> QuerySet[Standing]:
    """The standings of runs of the view's level, whatever the strategy."""
    return _standings(view, view.level.strategies, (view.condition,)).exclude(run=None)


def _standings(view: View, strategies: Sequence[str], conditions: Sequence[str]) -> QuerySet[Standing]:
    found = Standing.objects.filter(pack=view.pack, split=view.split, strategy__in=strategies, condition__in=conditions)
    return found.select_related("run__model", "run__pack", "trial").order_by(F("trial").asc(nulls_last=True), "pk")


def rows_of_level(view: View, key: str) -> Iterator[tuple[BoardRow, Run, dict[str, Any]]]:
    """The runs of the level with figures under this key, each with these figures."""
    for one in standings_of_level(view):
        if one.run and key in one.overall:
            yield row_of(one), one.run, one.overall[key]


def by_group(
    view: View, rows: Sequence[tuple[Answerer, dict[str, Any]]]
) -> Iterator[tuple[Answerer, str, dict[str, Any]]]:
    """Each row with title and figures over all items, then for each value of the view's facet that has figures.

    Rows of one value are adjacent, so that answerers can be compared.
    """
    yield from ((row, WHOLE, figures[ALL]) for row, figures in rows)
    for value in view.benchmark.facet(view.group).values:
        known = ((row, figures.get(view.group, {})) for row, figures in rows)
        yield from ((row, value.title, found[value.value]) for row, found in known if value.value in found)
