"""The vocabulary of what papers print: rows that boards show, whole tables, and where paper and release disagree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PublishedCell:
    """One figure that a paper prints, per cent as printed; `mark` says what is wrong with it."""

    column: str
    printed: str
    polarity: str = ""
    mark: str = ""


@dataclass(frozen=True)
class PublishedRow:
    """What a paper prints about one answerer under one strategy. Shows only what was printed."""

    name: str
    level: str
    strategy: str  # '' = asked in no words of ours, such as a model trained on the benchmark: beside every strategy
    source: str  # "Table 2"
    cells: tuple[PublishedCell, ...]
    parameters: str = ""  # "7B"
    kind: str = "model"  # or "human"
    note: str = ""
    condition: str = ""  # '' = the strategy's own
    split: str = ""  # '' = the paper tells no splits apart
    is_interval: bool = False  # what it prints after ± is a confidence interval
    dimension: str = ""  # the one of several scores that its figures are; '' = the only one, or the mean of all


@dataclass(frozen=True)
class PrintedColumn:
    """A column of a paper's table, and its place on a board: a facet value or "overall"; '' = on none."""

    title: str  # as the paper has it, spelt out where two would read alike
    column: str = ""
    figure: str = ""  # which of several scores it holds: a dimension, "average"; '' = the only one
    place: Mapping[str, str] = field(default_factory=dict)  # level, strategy, condition, split
    is_repeated: bool = False  # its figures stand in another table too, and reach the boards from there
    difference: tuple[str, ...] = ()  # titles of the two columns whose difference it is, the first less the second


@dataclass(frozen=True)
class PrintedRow:
    """A row of a paper's table, digit by digit; '' = the paper prints nothing there."""

    name: str
    labels: tuple[str, ...]  # what the table has before its figures
    cells: tuple[str, ...]
    kind: str = "model"  # or "human", or "statistic" for what sums up the rows above
    note: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)  # title of a column -> what is wrong with its cell
    place: Mapping[str, str] = field(default_factory=dict)
    is_interval: bool = False


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper as printed, with what has to be known to read it."""

    name: str  # "table-1", the end of its layout's name
    source: str  # "Table 1"
    title: str
    labels: tuple[str, ...]  # heads of what stands before the figures
    columns: tuple[PrintedColumn, ...]
    rows: tuple[PrintedRow, ...]
    notes: tuple[str, ...] = ()
    own_splits: tuple[str, ...] = ()  # of which rows of this site stand here too, beside those that the paper prints

    @property
    def heads(self) -> tuple[str, ...]:
        return (*self.labels, *(column.title for column in self.columns))

    @property
    def marks(self) -> tuple[str, ...]:
        """What is wrong with single cells, a sentence a cell."""
        return tuple(
            f"{' '.join(row.labels)}, {title}, printed {self.cell(row, title)}: {what}."
            for row in self.rows
            for title, what in row.marks.items()
        )

    @property
    def marked_rows(self) -> Iterator[tuple[PrintedRow, list[tuple[str, str]]]]:
        """Each row with its cells and what is wrong with each."""
        for row in self.rows:
            pairs = zip(self.columns, row.cells, strict=True)
            yield row, [(cell, row.marks.get(column.title, "")) for column, cell in pairs]

    def cell(self, row: PrintedRow, title: str) -> str:
        return next(cell for column, cell in zip(self.columns, row.cells, strict=True) if column.title == title)


@dataclass(frozen=True)
class Defect:
    """Where paper and release contradict each other or themselves, and what is done about it here."""

    paper: str
    release: str
    here: str = ""
