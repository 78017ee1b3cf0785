"""Published figures and known defects from a benchmark's file, with every digit as printed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PublishedCell:
    """One figure of a paper, in per cent as printed; `mark` says what is wrong with it."""

    column: str
    text: str
    polarity: str = ""
    note: str = ""


@dataclass(frozen=True)
class PublishedRow:
    """A paper's results for one answerer under one strategy, exactly as printed."""

    name: str
    level: str
    strategy: str  # '' = none of our strategies (a model trained on the benchmark); shown with every strategy
    source: str  # "Table 2"
    cells: tuple[PublishedCell, ...]
    parameters: str = ""  # "7B"
    kind: str = "model"  # or "human", or "baseline": a guesser or the most frequent answer
    note: str = ""
    condition: str = ""  # '' = the strategy's own
    split: str = ""  # '' = the paper doesn't distinguish splits
    is_interval: bool = False  # whether the figure after ± is a confidence interval
    dimension: str = ""  # the referee's dimension; '' = the only one, or the mean of all

    @property
    def of_people(self) -> bool:
        return self.kind == "human"

    @property
    def is_baseline(self) -> bool:
        return self.kind == "baseline"


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a paper's table; `column` is its place on a board (a facet value or "overall"), '' = no place."""

    title: str  # as in the paper, with additions if two columns would have the same title
    column: str = ""
    figure: str = ""  # the score that it holds, of several: a dimension or "average"; '' = the only one
    place: Mapping[str, str] = field(default_factory=dict)  # level, strategy, condition, split
    is_repeated: bool = False  # whether the boards take the same figures from another table
    difference: tuple[str, ...] = ()  # titles of two columns; this one is the first minus the second


@dataclass(frozen=True)
class PublishedTableRow:
    """A row of a paper's table, with every digit as printed; '' = an empty cell."""

    name: str
    labels: tuple[str, ...]  # the cells before the figures
    cells: tuple[str, ...]
    kind: str = "model"  # or "human", "baseline", or "statistic" for a summary of the rows above
    note: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)  # title of a column -> what is wrong with its cell
    place: Mapping[str, str] = field(default_factory=dict)
    is_interval: bool = False


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper as printed, with the notes needed to read it."""

    name: str  # "table-1", the last part of its layout's name
    source: str  # "Table 1"
    title: str
    labels: tuple[str, ...]  # heads of the columns before the figures
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedTableRow, ...]
    notes: tuple[str, ...] = ()
    own_splits: tuple[str, ...] = ()  # further splits from which this site's rows are added to the table

    @property
    def heads(self) -> tuple[str, ...]:
        return (*self.labels, *(column.title for column in self.columns))

    @property
    def note_sentences(self) -> tuple[str, ...]:
        """What is wrong with single cells, one sentence each."""
        return tuple(
            f"{' '.join(row.labels)}, {title}, printed {self.cell(row, title)}: {row.marks[title]}."
            for row in self.rows
            for title in row.marks
        )

    @property
    def marked_rows(self) -> Iterator[tuple[PublishedTableRow, list[tuple[str, str]]]]:
        """Each row with its (cell, mark) pairs."""
        for row in self.rows:
            pairs = zip(self.columns, row.cells, strict=True)
            yield row, [(cell, row.marks.get(column.title, "")) for column, cell in pairs]

    def cell(self, row: PublishedTableRow, title: str) -> str:
        return next(cell for column, cell in zip(self.columns, row.cells, strict=True) if column.title == title)


@dataclass(frozen=True)
class Defect:
    """A contradiction between or within paper and release, and how this site deals with it."""

    paper: str
    release: str
    here: str = ""


PLACE = ("level", "prompt", "condition", "split")
AVERAGE = "average"  # the mean of several scores


def fields_of(record: Mapping[str, Any], *names: str, **others: str) -> dict[str, Any]:
    """The fields that the record states, lists as tuples; `others`: name of the field -> name in the record."""
    known = {**{name: name for name in names}, **others}
    values = {field: record[name] for field, name in known.items() if name in record}
    return {field: tuple(value) if isinstance(value, list) else value for field, value in values.items()}


def published_row(record: Mapping[str, Any], first_level: str) -> PublishedRow:
    """A row for boards: one answerer under one prompt."""
    figures = ((column, f"{value:g}") for column, value in record.get("figures", {}).items())
    return PublishedRow(
        **{"level": first_level, "strategy": ""}
        | fields_of(record, *OF_ROWS, strategy="prompt", is_interval="interval"),
        cells=tuple(PublishedCell(*cell) for cell in (*record.get("cells", ()), *figures)),
    )


OF_ROWS = ("name", "level", "source", "parameters", "kind", "note", "condition", "split", "dimension")


def published_tables(record: Iterable[Mapping[str, Any]]) -> tuple[PublishedTable, ...]:
    """The complete tables of a paper; ValueError names the row whose cells or marks don't match the columns."""
    return tuple(_table(table) for table in record)


def _table(record: Mapping[str, Any]) -> PublishedTable:
    """One table; a place of the table applies to each of its columns."""
    place = _place_in(record.get("place", {}))
    columns = tuple(_column(column, place) for column in record["columns"])
    titles = [column.title for column in columns]
    return PublishedTable(
        **{"labels": ("Model",)} | fields_of(record, "name", "source", "title", "labels", "notes", "own_splits"),
        columns=columns,
        rows=tuple(_row(row, titles) for row in record["rows"]),
    )


def _place_in(record: Mapping[str, Any]) -> dict[str, str]:
    return {"strategy" if name == "prompt" else name: record[name] for name in PLACE if name in record}


def _column(record: Mapping[str, Any], place: dict[str, str]) -> PublishedColumn:
    return PublishedColumn(
        **fields_of(record, "title", "column", "figure", "difference", is_repeated="repeated"),
        place=place | _place_in(record),
    )


def _row(record: Mapping[str, Any], titles: list[str]) -> PublishedTableRow:
    if len(record["cells"]) != len(titles) or not set(record.get("marks", ())) <= set(titles):
        raise ValueError(f"row {record['name']!r} has other columns than {', '.join(titles)}")
    return PublishedTableRow(
        **{"labels": (record["name"],)}
        | fields_of(record, "name", "labels", "cells", "kind", "note", "marks", is_interval="interval"),
        place=_place_in(record.get("place", {})),
    )


def rows_of_tables(tables: Iterable[PublishedTable]) -> tuple[PublishedRow, ...]:
    """The tables' rows for the boards: one per place and dimension, with the columns that are on a board."""
    return tuple(row for table in tables for printed in table.rows for row in _rows_of(table, printed))


def _rows_of(table: PublishedTable, row: PublishedTableRow) -> Iterator[PublishedRow]:
    found: dict[tuple, list[tuple[PublishedColumn, str]]] = {}
    for place, column, cell in _placed(table, row):
        if column.column and "level" in place and not column.is_repeated:
            dimension = "" if column.figure == AVERAGE else column.figure
            found.setdefault((dimension, *place.items()), []).append((column, cell))
    for (dimension, *where), cells in found.items():
        place = dict(where)
        yield PublishedRow(
            name=row.name,
            source=table.source,
            cells=tuple(PublishedCell(one.column, cell, note=row.marks.get(one.title, "")) for one, cell in cells),
            kind=row.kind,
            note=_note(table, row, place),
            is_interval=row.is_interval,
            dimension=dimension,
            **({"strategy": ""} | place),
        )


def _placed(table: PublishedTable, row: PublishedTableRow) -> Iterator[tuple[dict[str, str], PublishedColumn, str]]:
    """The row's figures with their places; those with a level and a column appear on a board."""
    for column, cell in zip(table.columns, row.cells, strict=True):
        if cell:
            yield {**column.place, **row.place}, column, cell


def _note(table: PublishedTable, row: PublishedTableRow, place: dict[str, str]) -> str:
    """The row's own note, followed by the scores behind its averages."""
    parts = [
        f"{column.title} {cell}" for where, column, cell in _placed(table, row) if column.figure and where == place
    ]
    return f"{row.note} {', '.join(parts)}".strip()


def tables_of_rows(rows: Iterable[PublishedRow]) -> tuple[PublishedTable, ...]:
    """The inverse of `rows_of_tables` for a paper whose figures are stored as rows: one table per source."""
    by_source: dict[str, list[PublishedRow]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    return tuple(_table_of(source, found) for source, found in by_source.items())


def _table_of(source: str, rows: list[PublishedRow]) -> PublishedTable:
    titles = list(dict.fromkeys(_title(cell) for row in rows for cell in row.cells))
    return PublishedTable(
        name=source.lower().replace(", ", "-").replace(" ", "-"),
        source=source,
        title=source,
        labels=("Strategy", "Who"),
        columns=tuple(PublishedColumn(title) for title in titles),
        rows=tuple(_published_row(row, titles) for row in rows),
        notes=tuple(dict.fromkeys(row.note for row in rows if row.note)),
    )


def _title(cell: PublishedCell) -> str:
    return f"{cell.column} {cell.polarity}".strip()


def _published_row(row: PublishedRow, titles: list[str]) -> PublishedTableRow:
    found = {_title(cell): cell for cell in row.cells}
    return PublishedTableRow(
        name=row.name,
        labels=(row.strategy, f"{row.name} {row.parameters}".strip()),
        cells=tuple(found[title].text if title in found else "" for title in titles),
        kind=row.kind,
        marks={title: cell.note for title, cell in found.items() if cell.note},
    )
