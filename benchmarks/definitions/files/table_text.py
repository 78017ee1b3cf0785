"""Reads tables that somebody else wrote: CSV and JSON Lines, each row with the line where it begins.

A line ends where files end it; U+2028, U+0085 and vertical tabs belong to their cell.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.definitions.files.schema import BadDefinition, Mistake
from benchmarks.errors import BadRelease
from benchmarks.policy import LIMITS


def parsed(text: str) -> Any:
    """Parse the text; raises ValueError with a reason that fits into a sentence."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python reads no more than 4,300 digits
        raise ValueError("a number is too long") from None


LONGEST_CELL = LIMITS["cell"].most  # letters; what a run may think, 131,072 tokens, is a cell of an upload
SEPARATORS = ",;\t"  # Excel writes semicolons where the decimal sign is a comma
SEPARATOR_LINE = re.compile(r"sep=([,;\t])\s*\n")  # Excel's first line

Row = tuple[int, dict[str, str]]


def text_of(path: Path) -> str:
    """The text of the file; raises BadRelease if it can't be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRelease(f"{path.name}: is no UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise BadRelease(f"{path}: can't be read ({error.strerror})") from None


def csv_reader(lines: Iterable[str], *, delimiter: str = ",", strict: bool = False) -> Any:
    """A reader of these lines whose cells may have LONGEST_CELL letters; Python's limit is one of the process."""
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def csv_table(name: str, text: str) -> tuple[list[str], Iterator[Row]]:
    """The columns, and the rows by column; a missing cell is "". Raises BadDefinition with the line of a mistake."""
    line_of_excel = SEPARATOR_LINE.match(text)
    before, body = (1, text[line_of_excel.end() :]) if line_of_excel else (0, text)
    delimiter = line_of_excel[1] if line_of_excel else max(SEPARATORS, key=body.partition("\n")[0].count)
    lines = (f"{line}\n" for line in body.split("\n"))
    rows = _csv_rows(name, before, csv_reader(lines, delimiter=delimiter, strict=True))
    line, columns = next(rows, (1, []))
    if twice := next((column for column in columns if column and columns.count(column) > 1), None):
        raise BadDefinition([Mistake(line, twice[:80], "this column stands twice")], name)
    return columns, (_by_column(name, line, columns, cells) for line, cells in rows)


def _csv_rows(name: str, before: int, table: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with its first line; `before` lines came before the table."""
    while True:
        line = before + table.line_num + 1
        try:
            cells = next(table, None)
        except csv.Error as error:  # a cell of more than LONGEST_CELL letters, mostly for want of a closing quote
            raise BadDefinition([Mistake(line, "", f"no CSV ({error})")], name) from None
        if cells is None:
            return
        if cells:
            yield line, cells


def _by_column(name: str, line: int, columns: list[str], cells: list[str]) -> Row:
    if any(cell.strip() for cell in cells[len(columns) :]):
        raise BadDefinition([Mistake(line, "", "has more cells than there are columns")], name)
    return line, dict(zip(columns, [*cells, *[""] * (len(columns) - len(cells))], strict=False))


def json_rows(name: str, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines; raises BadDefinition with the line of anything else."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = parsed(line)
        except ValueError as error:
            raise BadDefinition([Mistake(number, "", f"no JSON ({error})")], name) from None
        if not isinstance(row, dict):
            raise BadDefinition([Mistake(number, "", "a JSON object is needed in each line")], name)
        yield number, row
