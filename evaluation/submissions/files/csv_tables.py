"""Reads the rows of a CSV table from numbered lines; an unreadable row is a problem with its line."""

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from benchmarks.definitions.files.table_text import csv_reader
from evaluation.submissions.files.archives import NumberedLine
from evaluation.submissions.files.problems import Problem


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one row and the line on which it begins."""

    line: int
    cells: list[str]


class _Feed:
    """Feeds lines to `csv.reader`, which may need several per row, and collects the problems among them."""

    def __init__(self, lines: Iterator[NumberedLine | Problem]) -> None:
        self.lines = lines
        self.start: int | None = None  # first line of the current row
        self.problems: list[Problem] = []

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        for line in self.lines:
            if isinstance(line, NumberedLine):
                self.start = self.start or line.number
                return line.text + "\n"
            self.problems.append(line)
        raise StopIteration


def cells_of(
    lines: Iterator[NumberedLine | Problem], *, widths: Collection[int], delimiter: str = ","
) -> Iterator[Cells | Problem]:
    """Yield each row that is not blank; a row with the wrong number of cells is a problem."""
    feed = _Feed(lines)
    table = csv_reader(feed, strict=True, delimiter=delimiter)
    while True:
        feed.start = None
        row = _next(table, feed)
        yield from feed.problems
        feed.problems.clear()
        if row is None:
            return
        if isinstance(row, Problem):
            yield row
        elif row and len(row) not in widths:
            wanted = " or ".join(map(str, sorted(widths)))
            yield Problem("cells", f"{len(row)} cells, but {wanted} columns", feed.start)
        elif row:
            yield Cells(feed.start or 1, row)


def columns_in(line: str, delimiter: str = ",") -> list[str]:
    """The names of the columns in lower case; [] if the line is not valid CSV."""
    try:
        return [name.strip().casefold() for name in next(csv_reader([line], strict=True, delimiter=delimiter), [])]
    except csv.Error:
        return []


def _next(table: "Iterator[list[str]]", feed: _Feed) -> list[str] | Problem | None:
    """The next row's cells ([] for a blank line) or its problem; None at the end."""
    try:
        return next(table, None)
    except csv.Error as error:
        return Problem("cells", f"not a row of the table: {error}", feed.start)
