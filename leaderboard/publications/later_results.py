"""Imports results of later papers from a file or a form; every field is checked before anything is stored."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.module_loading import import_string

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.files.table_text import parsed
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.rows import published_share
from leaderboard.models import PublishedResult

NEEDED = ("benchmark", "level", "row", "figure", "source", "checked_by")
OPTIONAL = ("strategy", "condition", "split", "cell", "link", "date")
PLACE = ("benchmark", "level", "strategy", "condition", "split", "row", "cell", "source")
WHERE = re.compile(r"\b(?:tables?|tab\.|figures?|fig\.|pages?|pp?\.)\s*[A-Z]?\.?\d", re.IGNORECASE)
DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?", re.ASCII)
# Of extensions: functions (Path -> counts by name, or None if the path holds something else), by dotted path.
OTHER_READERS: list[str] = []
MOST_LISTED = 10  # mistakes listed in an error message


class BadResults(ValueError):
    """The file is refused; the message names the wrong lines and fields."""


def import_other(path: Path) -> Mapping[str, int] | None:
    """What an extension stored from this file or folder; None if it is of none."""
    return next((stored for name in OTHER_READERS if (stored := import_string(name)(path)) is not None), None)


def import_results(path: Path) -> tuple[int, int]:
    """Store all results of the file or none; returns the numbers of new and of known results."""
    entries = list(entries_in(path))
    mistakes = [f"{where}: {what}" for where, entry in entries for what in mistakes_in(entry)]
    mistakes = mistakes or list(_contradictions(entries))
    if mistakes:
        more = f"; and {len(mistakes) - MOST_LISTED} more mistakes" if len(mistakes) > MOST_LISTED else ""
        raise BadResults("; ".join(mistakes[:MOST_LISTED]) + more)
    with transaction.atomic():
        return _store([entry for _, entry in entries])


def _store(entries: list[dict[str, str]]) -> tuple[int, int]:
    new = 0
    for entry in entries:
        place = {name: entry[name] for name in PLACE}
        rest = {name: value for name, value in entry.items() if name not in PLACE}
        result, is_new = PublishedResult.objects.get_or_create(**place, defaults=rest)
        if not result.checked_by:  # a result that was entered by form waited for this second reader
            PublishedResult.objects.filter(pk=result.pk).update(**rest)
            result.save(update_fields=["updated_at"])
        new += is_new
    return new, len(entries) - new


def entries_in(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each result's place in the file, and its fields as text with defaults for the optional ones."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadResults(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    rows = list(_of_json(text) if text.lstrip().startswith(("[", "{")) else _of_csv(text))
    if not rows:
        raise BadResults(f"{path}: holds no result")
    for where, row in rows:
        yield where, {"cell": "overall"} | dict.fromkeys(OPTIONAL[:3] + OPTIONAL[4:], "") | _as_text(where, row)


def _of_json(text: str) -> Iterator[tuple[str, Any]]:
    try:
        record = parsed(text)
    except ValueError as error:
        raise BadResults(f"not a JSON document: {error}") from None
    for number, row in enumerate(record if isinstance(record, list) else [record], 1):
        yield f"entry {number}", row


def _of_csv(text: str) -> Iterator[tuple[str, Any]]:
    table = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in table:
            yield f"line {table.line_num}", row
    except csv.Error as error:
        raise BadResults(f"line {table.line_num}: {error}") from None


def _as_text(where: str, row: Any) -> dict[str, str]:
    if not isinstance(row, dict) or None in row or None in row.values():
        raise BadResults(f"{where}: has other cells than the columns, or is no object")
    if unknown := sorted(set(row) - {*NEEDED, *OPTIONAL}):
        raise BadResults(f"{where}: {unknown[0]!r} is no field; there are: {', '.join((*NEEDED, *OPTIONAL))}")
    odd = [name for name, value in row.items() if not isinstance(value, str | int | float) or isinstance(value, bool)]
    if odd:
        raise BadResults(f"{where}: {odd[0]} must be text")
    texts = {name: " ".join(str(value).split()) for name, value in row.items()}
    return {name: value for name, value in texts.items() if value or name != "cell"}


def _contradictions(entries: list[tuple[str, dict[str, str]]]) -> Iterator[str]:
    """Contradictions within the file or with stored results: two figures of one source for the same cell."""
    seen: dict[tuple[str, ...], str] = {}
    for where, entry in entries:
        place = tuple(entry[name] for name in PLACE)
        stood = PublishedResult.objects.checked().filter(**{name: entry[name] for name in PLACE}).first()
        before = seen.setdefault(place, stood.figure if stood else entry["figure"])
        if before != entry["figure"]:
            yield f"{where}: figure: {entry['figure']} for {entry['row']}, {entry['cell']}, which has {before} already"


def mistakes_in(entry: Mapping[str, str]) -> Iterator[str]:
    """The errors of one result, one sentence per field."""
    lacking = [name for name in NEEDED if not entry.get(name)]
    if lacking:
        yield f"{', '.join(lacking)}: is missing"
        return
    if entry["benchmark"] not in BENCHMARKS:
        yield f"benchmark: {entry['benchmark']!r} is none of {', '.join(BENCHMARKS)}"
        return
    yield from _misplaced(entry, BENCHMARKS[entry["benchmark"]])
    share = published_share(entry["figure"])
    if share is None or not 0 <= share <= 1:
        yield f"figure: {entry['figure']!r} is no per cent as printed, such as 63.4 or 63.4 ± 1.2"
    if not WHERE.search(entry["source"]):
        yield f"source: {entry['source']!r} names no page, table or figure, such as “Table 2” or “p. 7”"
    if entry["date"] and not DATE.fullmatch(entry["date"]):
        yield f"date: {entry['date']!r} is no year, month or day, such as 2025-06"
    if entry["link"] and not entry["link"].startswith(("https://", "http://")):
        yield f"link: {entry['link'][:60]!r} is no web address"
        return
    yield from _by_the_table(entry)


def _misplaced(entry: Mapping[str, str], benchmark: Benchmark) -> Iterator[str]:
    levels = {level.number: level for level in benchmark.levels}
    if entry["level"] not in levels:
        yield f"level: {entry['level']!r} is none of {', '.join(levels)}"
        return
    level = levels[entry["level"]]
    named = entry["strategy"] if entry["strategy"] in level.strategies else ""
    known = {
        "strategy": level.strategies,
        "condition": benchmark.conditions_of(named) if named else benchmark.conditions,
        "split": benchmark.strategy(named).splits if named else benchmark.splits,
        "cell": ("overall", *_cells_of(benchmark, level.number, level.groups[0])),
    }
    for name, values in known.items():
        if entry[name] not in ("", *values):
            yield f"{name}: {entry[name]!r} is none of {', '.join(values)}"


def _cells_of(benchmark: Benchmark, level: str, group: str) -> tuple[str, ...]:
    return tuple(value.value for value in benchmark.facet(group).values if value.level in ("", level))


def _by_the_table(entry: Mapping[str, str]) -> Iterator[str]:
    """Errors that the model's fields find: lengths, and the form of a link."""
    try:
        PublishedResult(**entry).clean_fields()
    except ValidationError as error:
        yield from (f"{name}: {' '.join(messages)}" for name, messages in error.message_dict.items())
