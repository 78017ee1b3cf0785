"""Reads the first sheet of an .xlsx as a table separated by commas; a line of the table is a row of the sheet."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any
from zipfile import ZipFile

from evaluation.submissions.files.archives import HEAD_BYTES, LINES, NumberedLine, UploadedFile, from_start
from evaluation.submissions.files.problems import Problem, Unreadable

WORKBOOK = "xl/workbook.xml"
FIRST_ROWS = 3


@dataclass(frozen=True)
class Spreadsheet(UploadedFile):
    """The first sheet of the workbook that was uploaded."""

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
