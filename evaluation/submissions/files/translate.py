"""Replaces the item ids in a file of answers from one site by those of another site."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.definitions.files.json_text import parsed
from benchmarks.errors import BenchmarkError
from benchmarks.packs.id_tables import Official, read_ids


class Untranslatable(BenchmarkError):
    """The file can't be translated; the message names the line."""


def translate(file: Path, *, theirs: Path, ours: Path, out: Path) -> int:
    """Write the file with our ids in place of theirs, completely or not at all; return the number of answers."""
    if out.exists():
        raise BenchmarkError(f"{out} exists already: choose another place")
    known = read_ids(theirs)
    here = {official: item for item, official in read_ids(ours).items()}
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Untranslatable(f"{file}: {getattr(error, 'strerror', None) or 'it is no UTF-8 text'}") from None
    as_table = not text.lstrip().startswith("{")
    lines = list(_of_table(text, known, here) if as_table else _of_lines(text, known, here))
    out.write_text("".join(lines), encoding="utf-8")
    return len(lines) - 1


def _of_lines(text: str, known: Mapping[str, Official], here: Mapping[Official, str]) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = parsed(line)
        except ValueError as error:
            raise Untranslatable(f"line {number}: no JSON ({error})") from None
        if not isinstance(row, dict):
            raise Untranslatable(f"line {number}: not a JSON object")
        if "item" in row:
            row["item"] = _ours(row["item"], number, known, here)
        elif number > 1:
            raise Untranslatable(f"line {number}: names no item")
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _of_table(text: str, known: Mapping[str, Official], here: Mapping[Official, str]) -> Iterator[str]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns = list(reader.fieldnames or ())
    if "item" not in columns:
        raise Untranslatable("line 1: JSON Lines, or a table with the column item, is expected")
    yield _cells(columns)
    for row in reader:
        row["item"] = _ours(row["item"], reader.line_num, known, here)
        yield _cells([row[name] or "" for name in columns])


def _cells(row: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(row)
    return line.getvalue()


def _ours(item: object, number: int, known: Mapping[str, Official], here: Mapping[Official, str]) -> str:
    official = known.get(item.strip()) if isinstance(item, str) else None
    if official is None:
        raise Untranslatable(f"line {number}: the list of the site it comes from has no item {str(item)[:40]!r}")
    if official not in here:
        raise Untranslatable(f"line {number}: the list of the site it goes to lacks {'|'.join(official)}")
    return here[official]
