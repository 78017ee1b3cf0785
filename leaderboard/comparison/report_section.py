"""A part of a report page: a heading, a table with a line for each answerer, a chart and a note."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.board.assemble import BoardRow
from leaderboard.exports.table import Table, Value, text_of

if TYPE_CHECKING:
    from leaderboard.charts.chart import Chart


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


@dataclass(frozen=True)
class ReportSection:
    """`heads` name the texts and then the figures; `empty` says what is missing if there is no line."""

    badge: str
    title: str
    heads: tuple[str, ...]
    lines: Sequence[ReportLine]
    note: str = ""
    empty: str = ""
    turned: tuple[str, ...] = ()  # further controls of the board that apply to it
    charts: "Sequence[Chart]" = ()

    @property
    def word_heads(self) -> tuple[str, ...]:
        return self.heads[: len(self.lines[0].words)] if self.lines else ()

    @property
    def figure_heads(self) -> tuple[str, ...]:
        return self.heads[len(self.word_heads) :]

    @property
    def by_answerer(self) -> list[list[ReportLine]]:
        """The lines grouped by answerer, for pages, which print each name once; files keep the lines' order."""
        found: dict[str, list[ReportLine]] = defaultdict(list)
        for line in self.lines:
            found[line.row.key].append(line)
        return list(found.values())

    @property
    def has_simulated(self) -> bool:
        return any(line.row.kind.is_simulated for line in self.lines)

    def table(self) -> Table:
        """The section as a table for export."""
        rows = tuple((line.row.name, line.row.kind, *line.words, *line.figures) for line in self.lines)
        printed = tuple((line.row.name, line.row.kind, *line.words, *line.texts) for line in self.lines)
        heads = ("Who", "Kind", *self.heads)
        return Table(self.title, heads, rows, (self.note,) if self.note else (), heads, printed)
