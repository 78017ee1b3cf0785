"""Published figures and known defects from their data files, digit by digit."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.printed import Defect, PrintedColumn, PrintedRow, PrintedTable, PublishedCell, PublishedRow

DATA = Path(__file__).parent / "data"
PLACE = ("level", "strategy", "condition", "split")
AVERAGE = "average"  # of several scores


def published_rows(path: Path) -> tuple[PublishedRow, ...]:
    """Rows whose cells are lists of column, printed, polarity and mark."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return tuple(PublishedRow(**{**row, "cells": tuple(PublishedCell(*cell) for cell in row["cells"])}) for row in rows)


def defects(path: Path) -> tuple[Defect, ...]:
    return tuple(Defect(**row) for row in json.loads(path.read_text(encoding="utf-8")))


def printed_tables(path: Path) -> tuple[PrintedTable, ...]:
    """Whole tables of a paper; ValueError names the row whose cells or marks don't fit the columns."""
    return tuple(_table(told) for told in json.loads(path.read_text(encoding="utf-8")))


def _table(told: dict[str, Any]) -> PrintedTable:
    """A place that the whole table has is each column's."""
    place = told.get("place", {})
    columns = tuple(_column(column, place) for column in told["columns"])
    titles = [column.title for column in columns]
    return PrintedTable(
        name=told["name"],
        source=told["source"],
        title=told["title"],
        labels=tuple(told.get("labels", ("Model",))),
        columns=columns,
        rows=tuple(_row(row, titles) for row in told["rows"]),
        notes=tuple(told.get("notes", ())),
        own_splits=tuple(told.get("own_splits", ())),
    )


def _column(told: dict[str, Any], place: dict[str, str]) -> PrintedColumn:
    own = {name: told[name] for name in PLACE if name in told}
    other = {name: value for name, value in told.items() if name not in PLACE}
    return PrintedColumn(**(other | {"difference": tuple(told.get("difference", ()))}), place=place | own)


def _row(told: dict[str, Any], titles: list[str]) -> PrintedRow:
    if len(told["cells"]) != len(titles) or not set(told.get("marks", ())) <= set(titles):
        raise ValueError(f"row {told['name']!r} has other columns than {', '.join(titles)}")
    changed = {
        "labels": tuple(told.get("labels", (told["name"],))),
        "cells": tuple(told["cells"]),
    }
    return PrintedRow(**(told | changed))


def rows_of_tables(tables: Iterable[PrintedTable]) -> tuple[PublishedRow, ...]:
    """The rows that boards show: those columns of each table that have a place on one, a row a place and dimension."""
    return tuple(row for table in tables for printed in table.rows for row in _rows_of(table, printed))


def _rows_of(table: PrintedTable, row: PrintedRow) -> Iterator[PublishedRow]:
    found: dict[tuple, list[tuple[PrintedColumn, str]]] = {}
    for place, column, cell in _placed(table, row):
        dimension = "" if column.figure == AVERAGE else column.figure
        found.setdefault((dimension, *place.items()), []).append((column, cell))
    for (dimension, *where), cells in found.items():
        place = dict(where)
        yield PublishedRow(
            name=row.name,
            source=table.source,
            cells=tuple(_cell(row, column, cell) for column, cell in cells),
            kind=row.kind,
            note=_note(table, row, place),
            is_interval=row.is_interval,
            dimension=dimension,
            **({"strategy": ""} | place),
        )


def _placed(table: PrintedTable, row: PrintedRow) -> Iterator[tuple[dict[str, str], PrintedColumn, str]]:
    """Cells with a place on a board, which has a level."""
    for column, cell in zip(table.columns, row.cells, strict=True):
        place = _place(row, column)
        if cell and column.column and "level" in place and not column.is_repeated:
            yield place, column, cell


def _place(row: PrintedRow, column: PrintedColumn) -> dict[str, str]:
    return {**column.place, **row.place}


def _note(table: PrintedTable, row: PrintedRow, place: dict[str, str]) -> str:
    """What the row says of itself, and the scores that its averages are of."""
    parts = [
        f"{column.title} {cell}"
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell and column.figure and _place(row, column) == place
    ]
    return f"{row.note} {', '.join(parts)}".strip()


def _cell(row: PrintedRow, column: PrintedColumn, cell: str) -> PublishedCell:
    return PublishedCell(column.column, cell, mark=row.marks.get(column.title, ""))


def tables_of_rows(rows: Iterable[PublishedRow]) -> tuple[PrintedTable, ...]:
    """The same the other way round, for a paper whose figures stand as rows: a table a source."""
    by_source: dict[str, list[PublishedRow]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    return tuple(_table_of(source, found) for source, found in by_source.items())


def _table_of(source: str, rows: list[PublishedRow]) -> PrintedTable:
    titles = list(dict.fromkeys(_title(cell) for row in rows for cell in row.cells))
    return PrintedTable(
        name=source.lower().replace(", ", "-").replace(" ", "-"),
        source=source,
        title=source,
        labels=("Strategy", "Who"),
        columns=tuple(PrintedColumn(title) for title in titles),
        rows=tuple(_printed(row, titles) for row in rows),
        notes=tuple(dict.fromkeys(row.note for row in rows if row.note)),
    )


def _title(cell: PublishedCell) -> str:
    return f"{cell.column} {cell.polarity}".strip()


def _printed(row: PublishedRow, titles: list[str]) -> PrintedRow:
    found = {_title(cell): cell for cell in row.cells}
    return PrintedRow(
        name=row.name,
        labels=(row.strategy, f"{row.name} {row.parameters}".strip()),
        cells=tuple(found[title].printed if title in found else "" for title in titles),
        kind=row.kind,
        marks={title: cell.mark for title, cell in found.items() if cell.mark},
    )
