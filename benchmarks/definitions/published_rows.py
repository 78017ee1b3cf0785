"""Data classes for published results: rows on boards, complete tables, and known defects of paper and release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PublishedCell:
    """One figure of a paper, in per cent as printed; `mark` says what is wrong with it."""

    column: str
    text: str
    polarity: str = ""
    note: str = ""


@dataclass(frozen=True)
class PublishedRow:
    """A paper's results for one answerer under one strategy, exactly as printed."""

    name: str
    level: str
    strategy: str  # '' = none of our strategies (a model trained on the benchmark); shown with every strategy
    source: str  # "Table 2"
    cells: tuple[PublishedCell, ...]
    parameters: str = ""  # "7B"
    kind: str = "model"  # or "human", or "baseline": a guesser or the most frequent answer
    note: str = ""
    condition: str = ""  # '' = the strategy's own
    split: str = ""  # '' = the paper doesn't distinguish splits
    is_interval: bool = False  # whether the figure after ± is a confidence interval
    dimension: str = ""  # the referee's dimension; '' = the only one, or the mean of all

    @property
    def of_people(self) -> bool:
        return self.kind == "human"

    @property
    def is_baseline(self) -> bool:
        return self.kind == "baseline"


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a paper's table; `column` is its place on a board (a facet value or "overall"), '' = no place."""

    title: str  # as in the paper, with additions if two columns would have the same title
    column: str = ""
    figure: str = ""  # the score that it holds, of several: a dimension or "average"; '' = the only one
    place: Mapping[str, str] = field(default_factory=dict)  # level, strategy, condition, split
    is_repeated: bool = False  # whether the boards take the same figures from another table
    difference: tuple[str, ...] = ()  # titles of two columns; this one is the first minus the second


@dataclass(frozen=True)
class PublishedTableRow:
    """A row of a paper's table, with every digit as printed; '' = an empty cell."""

    name: str
    labels: tuple[str, ...]  # the cells before the figures
    cells: tuple[str, ...]
    kind: str = "model"  # or "human", "baseline", or "statistic" for a summary of the rows above
    note: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)  # title of a column -> what is wrong with its cell
    place: Mapping[str, str] = field(default_factory=dict)
    is_interval: bool = False


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper as printed, with the notes needed to read it."""

    name: str  # "table-1", the last part of its layout's name
    source: str  # "Table 1"
    title: str
    labels: tuple[str, ...]  # heads of the columns before the figures
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedTableRow, ...]
    notes: tuple[str, ...] = ()
    own_splits: tuple[str, ...] = ()  # further splits from which this site's rows are added to the table

    @property
    def heads(self) -> tuple[str, ...]:
        return (*self.labels, *(column.title for column in self.columns))

    @property
    def note_sentences(self) -> tuple[str, ...]:
        """What is wrong with single cells, one sentence each."""
        return tuple(
            f"{' '.join(row.labels)}, {title}, printed {self.cell(row, title)}: {row.marks[title]}."
            for row in self.rows
            for title in row.marks
        )

    @property
    def marked_rows(self) -> Iterator[tuple[PublishedTableRow, list[tuple[str, str]]]]:
        """Each row with its (cell, mark) pairs."""
        for row in self.rows:
            pairs = zip(self.columns, row.cells, strict=True)
            yield row, [(cell, row.marks.get(column.title, "")) for column, cell in pairs]

    def cell(self, row: PublishedTableRow, title: str) -> str:
        return next(cell for column, cell in zip(self.columns, row.cells, strict=True) if column.title == title)


@dataclass(frozen=True)
class Defect:
    """A contradiction between or within paper and release, and how this site deals with it."""

    paper: str
    release: str
    here: str = ""
