"""Queries that are compiled to SQL once: compiling takes Django ten times as long as SQLite takes to run them.

For the few queries that run with every answer, some while others wait for a lock. They are declared as querysets, so
they are the same on every database.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.sql import Query, UpdateQuery

# Placeholders for the values of each call while the SQL is compiled; no row and no lease has any of these values.
ONE, TWO, THREE, FOUR = 1_999_999_001, 1_999_999_002, 1_999_999_003, 1_999_999_004
SMALL = 32_701  # for columns of small integers: PostgreSQL's hold none of the others
WORD, OTHER_WORD = "a word that no row has", "another word that no row has"

OR_NOTHING = " ON CONFLICT DO NOTHING"  # ends an insert that leaves an equal row as it is

Value = int | str
Text = tuple[str, tuple[tuple[int | None, Any], ...]]  # SQL; for each parameter its index, or None and the value


Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Converters = tuple[tuple[int, Any, tuple[Converter, ...]], ...]  # place in the row, column, converter of its value


@cache
def _columns(kind: type[Model], vendor: str) -> tuple[list[str], Converters]:
    """The names of a model's columns, and what turns the database's values into the model's."""
    fields = kind._meta.concrete_fields
    found = []
    for place, field in enumerate(fields):
        column = field.get_col(kind._meta.db_table)
        by = (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
        if by:
            found.append((place, column, by))
    return [field.attname for field in fields], tuple(found)


def _converted(row: Sequence[Any], converters: Converters) -> list[Any]:
    values = list(row)
    for place, column, by in converters:
        for convert in by:
            values[place] = convert(values[place], column, connection)
    return values


class PreparedInsert:
    """The INSERT of one row of a model that has no parent model and no signals."""

    def __init__(self, kind: type[Model], ending: str = "") -> None:
        self.kind, self.ending = kind, ending
        self.fields = [field for field in kind._meta.concrete_fields if not field.primary_key]
        self.texts: dict[str, str] = {}

    def store(self, row: Model) -> bool:
        """Store a new row, and give it its key; False if the insert ends with `OR_NOTHING` and the row was there."""
        values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in self.fields]
        with connection.cursor() as cursor:
            cursor.execute(self.texts.get(connection.vendor) or self._write(), values)
            stored = cursor.fetchone()
        if stored is None:
            return False
        (row.pk,) = stored
        row._state.adding, row._state.db = False, connection.alias
        return True

    def _write(self) -> str:
        quote, places = connection.ops.quote_name, ", ".join(["%s"] * len(self.fields))
        names = ", ".join(quote(field.column or "") for field in self.fields)
        into = f"INSERT INTO {quote(self.kind._meta.db_table)} ({names})"  # names of the model # nosec B608
        sql = f"{into} VALUES ({places}){self.ending} RETURNING {quote(self.kind._meta.pk.column or '')}"
        return self.texts.setdefault(connection.vendor, sql)


class PreparedQuery:
    """A query compiled once with placeholders; with `change` an UPDATE of the rows it selects. `make` runs once."""

    def __init__(self, make: Callable[[], QuerySet], *marks: Value, change: Mapping[str, Any] | None = None) -> None:
        self.make, self.marks, self.change = make, marks, change
        self.texts: dict[str, Text] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The rows as tuples from the database: for numbers and plain text."""
        with connection.cursor() as cursor:
            cursor.execute(*self._filled(values))
            return cursor.fetchall()

    def models(self, kind: type[Model], *values: Value) -> list[Any]:
        """The rows as models of this kind, with all its columns in their order."""
        names, converters = _columns(kind, connection.vendor)
        return [kind.from_db(connection.alias, names, _converted(row, converters)) for row in self.rows(*values)]

    def pairs(self, kind: type[Model], other: type[Model], *values: Value) -> list[tuple[Any, Any]]:
        """The rows as pairs of models; each row has all columns of both, as with `select_related` of one field."""
        names, converters = _columns(kind, connection.vendor)
        of_other, converters_of_other = _columns(other, connection.vendor)
        found = []
        for row in self.rows(*values):
            first, second = row[: len(names)], row[len(names) :]
            one = kind.from_db(connection.alias, names, _converted(first, converters))
            found.append((one, other.from_db(connection.alias, of_other, _converted(second, converters_of_other))))
        return found

    def update(self, *values: Value) -> int:
        """Run the update; return the number of rows changed."""
        with connection.cursor() as cursor:
            cursor.execute(*self._filled(values))
            return cursor.rowcount

    def _filled(self, values: tuple[Value, ...]) -> tuple[str, list[Any]]:
        sql, parameters = self.texts.get(connection.vendor) or self._write()
        return sql, [own if place is None else values[place] for place, own in parameters]

    def _write(self) -> Text:
        query: Query = self.make().query
        if self.change:
            update = cast(UpdateQuery, query.chain(UpdateQuery))
            update.add_update_values(dict(self.change))
            query = update
        sql, parameters = query.get_compiler(connection.alias).as_sql()
        placed = tuple((self.marks.index(one) if one in self.marks else None, one) for one in parameters)
        return self.texts.setdefault(connection.vendor, (sql, placed))
