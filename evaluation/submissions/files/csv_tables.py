"""Reads tables: CSV, CSV with a line for each window of a clip, and the first sheet of an .xlsx.

An unreadable row is a problem with its line.
"""

import csv
import io
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Any
from zipfile import ZipFile

from benchmarks.definitions.files.table_text import csv_reader
from evaluation.replies import SURPRISE
from evaluation.submissions.files.archives import HEAD_BYTES, LINES, NumberedLine, UploadedFile, from_start
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one row and the line on which it begins."""

    line: int
    cells: list[str]


def cells_of(
    lines: Iterator[NumberedLine | Problem], *, widths: Collection[int], delimiter: str = ","
) -> Iterator[Cells | Problem]:
    """Yield each row that is not blank; a row with the wrong number of cells is a problem."""
    numbers, problems = list[int](), list[Problem]()  # of the lines of the current row, which may be several

    def texts() -> Iterator[str]:
        for line in lines:
            if isinstance(line, NumberedLine):
                numbers.append(line.number)
                yield line.text + "\n"
            else:
                problems.append(line)

    table = csv_reader(texts(), strict=True, delimiter=delimiter)
    while True:
        numbers.clear()
        try:
            row, fault = next(table, None), ""
        except csv.Error as error:
            row, fault = [], f"not a row of the table: {error}"
        yield from problems
        problems.clear()
        if row is None:
            return
        if row and len(row) not in widths:
            fault = f"{len(row)} cells, but {' or '.join(map(str, sorted(widths)))} columns"
        if fault:
            yield Problem("cells", fault, next(iter(numbers), None))
        elif row:
            yield Cells(numbers[0], row)


def columns_in(line: str, delimiter: str = ",") -> list[str]:
    """The names of the columns in lower case; [] if the line is not valid CSV."""
    try:
        return [name.strip().casefold() for name in next(csv_reader([line], strict=True, delimiter=delimiter), [])]
    except csv.Error:
        return []


WINDOWS = ("item", "window", "surprise")
KNOWN = (*WINDOWS, "time")


@dataclass
class _Clip:
    """The windows read so far for one item, and the number of its first line."""

    item: str
    line: int
    values: list[Any] = field(default_factory=list)
    times: list[Any] = field(default_factory=list)

    def row(self) -> AnswerRow:
        answer = {SURPRISE: self.values, "times": self.times or None}
        return AnswerRow(self.line, self.item, SURPRISE, json.dumps(answer))


def window_rows(first: NumberedLine, rest: Iterator[NumberedLine | Problem]) -> Iterator[AnswerRow | Problem]:
    """Yield a row per item of a table of item; window; surprise; time, whose windows are numbered from 0 or 1."""
    columns = columns_in(first.text, ";")
    if set(columns) - set(KNOWN) or len(set(columns)) != len(columns):
        raise Unreadable("columns", f"the columns of a table of windows are {'; '.join(KNOWN)}", line=first.number)
    clip: _Clip | None = None
    for row in cells_of(rest, widths={len(columns)}, delimiter=";"):
        if isinstance(row, Problem):
            yield row
            continue
        cells = _named(columns, row)
        if clip is None or cells["item"] != clip.item:
            if clip:
                yield clip.row()
            clip = _Clip(cells["item"], row.line)
        if problem := _added(clip, cells, row.line):
            yield problem
    if clip:
        yield clip.row()


def _named(columns: list[str], row: Cells) -> dict[str, str]:
    return {name: cell.strip() for name, cell in zip(columns, row.cells, strict=True)}


def _added(clip: _Clip, cells: dict[str, str], line: int) -> Problem | None:
    """Add the window to its clip; its number must be the next one."""
    place = len(clip.values)
    if cells["window"] not in (str(place), str(place + 1)):
        return Problem(
            "value", f"window {cells['window'][:20]!r} of {clip.item[:40]}: {place} windows came before", line
        )
    clip.values.append(number_in(cells["surprise"]))
    if cells.get("time"):
        clip.times.append(number_in(cells["time"]))
    return None


def number_in(text: str) -> float | str:
    """The number in this cell; anything else stays text and becomes a problem of its row or item."""
    try:
        return float(text)
    except ValueError:
        return text


WORKBOOK = "xl/workbook.xml"
FIRST_ROWS = 3


@dataclass(frozen=True)
class Spreadsheet(UploadedFile):
    """The first sheet of the workbook that was uploaded; a line of the table is a row of the sheet."""

    def begins(self) -> str:
        return "\n".join(line.text for line in islice(self._rows(), FIRST_ROWS))[:HEAD_BYTES]

    def lines(self) -> Iterator[NumberedLine | Problem]:
        for line in self._rows():
            self.allowance.take(len(line.text), line=line.number)
            if line.number > LINES:
                raise Unreadable("too-many", f"the file has more than {LINES:,} lines", line=line.number)
            yield line

    def _rows(self) -> Iterator[NumberedLine]:
        width = 0
        for number, cells in enumerate(_values(self.open()), start=1):
            filled = max((place for place, cell in enumerate(cells, start=1) if cell is not None), default=0)
            width = width or filled
            row = [*cells[:filled], *[None] * (width - filled)] if filled else []
            yield NumberedLine(number, _as_text(row))


def as_table(parts: list[UploadedFile], file: IO[bytes]) -> list[UploadedFile]:
    """The files of an upload; a workbook, which is an archive, is one table."""
    if WORKBOOK not in (part.name for part in parts):
        return parts
    allowance = parts[0].allowance
    with ZipFile(from_start(file)) as archive:
        allowance.take(sum(member.file_size for member in archive.infolist()))
    return [Spreadsheet("", lambda: from_start(file), allowance)]


def _values(file: IO[bytes]) -> Iterator[Sequence[Any]]:
    """The cells of each row; a text that looks like a formula stays that text."""
    from openpyxl import load_workbook

    try:
        sheet = next(iter(load_workbook(file, read_only=True).worksheets))
        yield from sheet.iter_rows(values_only=True)
    except MemoryError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part makes of it
        raise Unreadable("broken-archive", "the spreadsheet is damaged: save it again, or as CSV (UTF-8)") from error


def _as_text(cells: Sequence[Any]) -> str:
    """The row in CSV; texts of several lines are quoted."""
    text = io.StringIO()
    csv.writer(text).writerow(["" if cell is None else str(cell) for cell in cells])
    return text.getvalue().removesuffix("\r\n")
