"""From an uploaded file to its header and rows: JSON Lines, a CSV table, or a result file of a benchmark's own tools.

Each oddity is a problem; nothing is skipped.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from evaluation.submissions.headers import Target
from evaluation.submissions.json_text import is_storable, parsed
from evaluation.submissions.native.registry import NativeUpload, native_in
from evaluation.submissions.opening import Line, only, parts_of
from evaluation.submissions.problems import Problem, Unreadable
from evaluation.submissions.rows import ANSWER, REPLY, Row
from evaluation.submissions.tables import cells_of, columns_in

ROWS = 2_000_000
SEED = re.compile(r"[0-9]{1,10}", re.ASCII)
SEEDS_END = 2**31
ITEM_CHARACTERS = 40
COLUMNS = ("item", ANSWER, REPLY, "seed")
KNOWN = frozenset(COLUMNS)


@dataclass(frozen=True)
class Upload:
    """What a file holds: the header's fields, where it has one, and its rows, read as they are asked for.

    A result file of a benchmark's own tools has neither: what its rows are about, the target says (`answers_in`).
    """

    header: Mapping[str, Any] | None
    rows: Iterator[Row | Problem]
    native: NativeUpload | None = None


def read_upload(file: IO[bytes]) -> Upload:
    """Open the file, tell its format by how it begins, and give what it holds."""
    parts = parts_of(file)
    if native := native_in(parts):
        return Upload(None, iter(()), native)
    lines = only(parts).lines()
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


def answers_in(upload: Upload, target: Target) -> Iterator[Row | Problem]:
    """The rows of the file as answers to the items of this target."""
    return _at_most_rows(upload.native.rows(target)) if upload.native else upload.rows


def _without_blank(lines: Iterator[Line | Problem]) -> Iterator[Line | Problem]:
    return (line for line in lines if isinstance(line, Problem) or line.text.strip())


def _at_most_rows(rows: Iterator[Row | Problem]) -> Iterator[Row | Problem]:
    for number, row in enumerate(rows):
        if number == ROWS:
            raise Unreadable("too-many", f"the file has more than {ROWS:,} rows", line=row.line)
        yield row


def _row(line: int, fields: Mapping[str, Any]) -> Row | Problem:
    """The row that these fields say, or the first thing that is wrong with them."""
    return _plain_row(line, fields) or _odd_row(line, fields)


def _plain_row(line: int, fields: Mapping[str, Any]) -> Row | None:
    """The row where nothing is odd about it: found with few looks, since a file may have a million of them."""
    kind = REPLY if REPLY in fields else ANSWER
    item, text, seed = fields.get("item"), fields.get(kind), fields.get("seed", 0)
    if not isinstance(item, str) or not isinstance(text, str) or type(seed) is not int:  # True is an int, too
        return None
    is_plain = 0 < len(item) <= ITEM_CHARACTERS and 0 <= seed < SEEDS_END and len(fields) == 2 + ("seed" in fields)
    return Row(line, item, kind, text, seed) if is_plain else None


def _odd_row(line: int, fields: Mapping[str, Any]) -> Row | Problem:
    item, seed = fields.get("item"), fields.get("seed", 0)
    kinds = [kind for kind in (ANSWER, REPLY) if kind in fields]
    if not isinstance(item, str) or not 0 < len(item) <= ITEM_CHARACTERS:
        return Problem("value", "`item` must be the id of an item, as text", line)
    if not fields.keys() <= KNOWN:
        unknown = min(set(fields) - KNOWN)[:40]
        return Problem("fields", f"unknown field {unknown!r}: a row has item, answer or reply, seed", line, item)
    if len(kinds) != 1:
        return Problem("fields", "a row has either `answer` or `reply`", line, item)
    if not isinstance(fields[kinds[0]], str):
        return Problem("value", f"`{kinds[0]}` must be text, in quotes", line, item)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEEDS_END:
        return Problem("seed", "`seed` must be a whole number from 0 on", line, item)
    return Row(line, item, kinds[0], fields[kinds[0]], seed)


# --- JSON Lines ---


def _json_rows(lines: Iterator[Line | Problem]) -> Iterator[Row | Problem]:
    for line in lines:
        if isinstance(line, Problem):
            yield line
        elif line.text and not line.text.isspace():
            record = _object(line)
            yield record if isinstance(record, Problem) else _row(line.number, record)


def _object(line: Line) -> dict[str, Any] | Problem:
    """The JSON object on this line; half a character (a lone surrogate) or a NUL in a text can't be stored."""
    try:
        record = parsed(line.text)
    except ValueError as error:
        return Problem("not-json", f"not a JSON object: {error}", line.number)
    if not isinstance(record, dict):
        return Problem("not-json", 'not a JSON object: write {"item": …, "answer": …}', line.number)
    if "\\u" in line.text and not _storable(record):
        return Problem("encoding", "a text holds a character that can't be stored", line.number)
    return record


def _storable(record: dict[str, Any]) -> bool:
    texts = [*record, *(value for value in record.values() if isinstance(value, str))]
    return all(map(is_storable, texts))


# --- CSV ---


def _table_rows(first: Line, rest: Iterator[Line | Problem]) -> Iterator[Row | Problem]:
    columns = _columns(first)
    for row in cells_of(rest, widths={len(columns)}):
        yield row if isinstance(row, Problem) else _cells_row(row.line, columns, row.cells)


def _columns(first: Line) -> list[str]:
    columns = columns_in(first.text)
    kinds = {ANSWER, REPLY} & set(columns)
    if "item" not in columns or len(kinds) != 1 or len(set(columns)) != len(columns) or set(columns) - set(COLUMNS):
        what = "the first line must be a header in JSON, or name the columns: item, then answer or reply, then seed"
        raise Unreadable("columns", f"{what} (separated by commas)", line=first.number)
    return columns


def _cells_row(line: int, columns: list[str], cells: list[str]) -> Row | Problem:
    fields: dict[str, Any] = dict(zip(columns, cells, strict=True))
    fields["item"] = fields["item"].strip()
    seed = fields.get("seed", "0").strip()
    return _row(line, fields | {"seed": int(seed) if SEED.fullmatch(seed) else None})
