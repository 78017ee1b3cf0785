"""Table of official keys and public ids, for sites that exchange answers. It reveals the answers."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.errors import BenchmarkError
from benchmarks.models import Pack

COLUMNS = ("key", "kind", "variant", "item")
Official = tuple[str, str, str]


class BadIdList(BenchmarkError):
    """The table can't be read; the message names file and line."""


def write_ids(pack: Pack, out: Path) -> int:
    """Write one row per item to a new file that only its owner can read; return the number of rows."""
    rows = sorted(pack.items.order_by().values_list("key", "kind", "variant", "public_id"))
    try:
        file = os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", newline="")
    except FileExistsError:
        raise BenchmarkError(f"{out} exists already: choose another place") from None
    with file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return len(rows)


def read_ids(path: Path) -> dict[str, Official]:
    """Official key, kind and variant by public id."""
    found: dict[str, Official] = {}
    for number, row in _rows(path):
        if len(row) != len(COLUMNS) or not row[0] or not row[3]:
            raise BadIdList(f"{path}, line {number}: a line has {', '.join(COLUMNS)}")
        if row[3] in found:
            raise BadIdList(f"{path}, line {number}: {row[3][:40]} appears twice")
        found[row[3]] = (row[0], row[1], row[2])
    return found


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadIdList(f"{path}: {getattr(error, 'strerror', None) or 'it is no UTF-8 text'}") from None
    reader = csv.reader(text.splitlines())
    if next(reader, []) != list(COLUMNS):
        raise BadIdList(f"{path}, line 1: the columns {', '.join(COLUMNS)} are needed, as export_ids writes them")
    yield from ((reader.line_num, row) for row in reader if row)
