"""From an uploaded file to its header and rows: JSON Lines or a CSV table, each oddity a problem, nothing skipped."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from evaluation.submissions.opening import Line, text_lines
from evaluation.submissions.problems import Problem, Unreadable

ROWS = 2_000_000
SEED = re.compile(r"[0-9]{1,10}", re.ASCII)
SEEDS_END = 2**31
ITEM_CHARACTERS = 40
COLUMNS = ("item", "answer", "reply", "seed")


@dataclass(frozen=True, slots=True)
class Row:
    """One answer as it was given; `kind` says whether it is an `answer` or a raw `reply`."""

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0


@dataclass(frozen=True)
class Upload:
    """What a file holds: the header's fields, where it has one, and its rows, read as they are asked for."""

    header: Mapping[str, Any] | None
    rows: Iterator[Row | Problem]


def read_upload(file: IO[bytes]) -> Upload:
    """Open the file, tell its format by its first line, and give what it holds."""
    lines = text_lines(file)
    first = next(_without_blank(lines), None)
    if first is None:
        raise Unreadable("empty", "the file holds no line of text")
    if isinstance(first, Problem):
        raise Unreadable(first.code, first.what, line=first.line)
    if not first.text.lstrip().startswith("{"):
        return Upload(None, _at_most_rows(_table_rows(first, lines)))
    record = _object(first)
    if isinstance(record, Problem):
        raise Unreadable(record.code, record.what, line=record.line)
    if "item" in record:
        return Upload(None, _at_most_rows(_json_rows(chain([first], lines))))
    return Upload(record, _at_most_rows(_json_rows(lines)))


def _without_blank(lines: Iterator[Line | Problem]) -> Iterator[Line | Problem]:
    return (line for line in lines if isinstance(line, Problem) or line.text.strip())


def _at_most_rows(rows: Iterator[Row | Problem]) -> Iterator[Row | Problem]:
    for number, row in enumerate(rows):
        if number == ROWS:
            raise Unreadable("too-many", f"the file has more than {ROWS:,} rows", line=row.line)
        yield row


def _row(line: int, fields: Mapping[str, Any]) -> Row | Problem:
    """The row that these fields say, or the first thing that is wrong with them."""
    item, seed = fields.get("item"), fields.get("seed", 0)
    kinds = [kind for kind in ("answer", "reply") if kind in fields]
    if not isinstance(item, str) or not 0 < len(item) <= ITEM_CHARACTERS:
        return Problem("value", "`item` must be the id of an item, as text", line)
    if unknown := sorted(set(fields) - set(COLUMNS)):
        return Problem(
            "fields", f"unknown field {unknown[0][:40]!r}: a row has item, answer or reply, seed", line, item
        )
    if len(kinds) != 1:
        return Problem("fields", "a row has either `answer` or `reply`", line, item)
    if not isinstance(fields[kinds[0]], str):
        return Problem("value", f"`{kinds[0]}` must be text, in quotes", line, item)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEEDS_END:
        return Problem("seed", "`seed` must be a whole number from 0 on", line, item)
    return Row(line, item, kinds[0], fields[kinds[0]], seed)


# --- JSON Lines ---


def _json_rows(lines: Iterator[Line | Problem]) -> Iterator[Row | Problem]:
    for line in _without_blank(lines):
        yield line if isinstance(line, Problem) else _json_row(line)


def _json_row(line: Line) -> Row | Problem:
    record = _object(line)
    return record if isinstance(record, Problem) else _row(line.number, record)


def _object(line: Line) -> dict[str, Any] | Problem:
    """The JSON object on this line; half a character (a lone surrogate) or a NUL in a text can't be stored."""
    try:
        record = json.loads(line.text, object_pairs_hook=_once_each, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return Problem("not-json", f"not a JSON object: {_reason(error)}", line.number)
    if not isinstance(record, dict):
        return Problem("not-json", 'not a JSON object: write {"item": …, "answer": …}', line.number)
    if "\\u" in line.text and not _storable(record):
        return Problem("encoding", "a text holds a character that can't be stored", line.number)
    return record


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name stands twice")
    return fields


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at character {error.colno}"
    return "a number is too long" if "digits" in str(error) else str(error)


def _storable(record: dict[str, Any]) -> bool:
    texts = [*record, *(value for value in record.values() if isinstance(value, str))]
    return not any("\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text) for text in texts)


# --- CSV ---


class _Feed:
    """Lines for `csv.reader`, which may take several for a row; what can't be read is set aside as a problem."""

    def __init__(self, lines: Iterator[Line | Problem]) -> None:
        self.lines = lines
        self.start: int | None = None  # of the row in hand
        self.problems: list[Problem] = []

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        for line in self.lines:
            if isinstance(line, Line):
                self.start = self.start or line.number
                return line.text + "\n"
            self.problems.append(line)
        raise StopIteration


def _table_rows(first: Line, rest: Iterator[Line | Problem]) -> Iterator[Row | Problem]:
    columns, feed = _columns(first), _Feed(rest)
    table = csv.reader(feed, strict=True)
    while True:
        feed.start = None
        row = _next_cells(table, feed)
        yield from feed.problems
        feed.problems.clear()
        if row is None:
            return
        if row:
            yield row if isinstance(row, Problem) else _cells_row(feed.start or first.number, columns, row)


def _next_cells(table: "Iterator[list[str]]", feed: _Feed) -> list[str] | Problem | None:
    """The next row's cells, none for a blank line, or what is wrong; None at the end."""
    try:
        return next(table, None)
    except csv.Error as error:
        return Problem("cells", f"not a row of the table: {error}", feed.start)


def _columns(first: Line) -> list[str]:
    try:
        columns = [name.strip().casefold() for name in next(csv.reader([first.text], strict=True))]
    except csv.Error:
        columns = []
    kinds = {"answer", "reply"} & set(columns)
    if "item" not in columns or len(kinds) != 1 or len(set(columns)) != len(columns) or set(columns) - set(COLUMNS):
        what = "the first line must be a header in JSON, or name the columns: item, then answer or reply, then seed"
        raise Unreadable("columns", f"{what} (separated by commas)", line=first.number)
    return columns


def _cells_row(line: int, columns: list[str], cells: list[str]) -> Row | Problem:
    if len(cells) != len(columns):
        return Problem("cells", f"{len(cells)} cells, but {len(columns)} columns", line)
    fields: dict[str, Any] = dict(zip(columns, cells, strict=True))
    fields["item"] = fields["item"].strip()
    seed = fields.get("seed", "0").strip()
    return _row(line, fields | {"seed": int(seed) if SEED.fullmatch(seed) else None})
