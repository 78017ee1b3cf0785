"""Queries that are compiled to SQL once: compiling takes Django ten times as long as SQLite takes to run them.

For the few queries that run with every answer, some while others wait for a lock. They are declared as querysets, so
they are the same on every database.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.db import connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.sql import Query, UpdateQuery

# Placeholders for the values of each call while the SQL is compiled; no row and no lease has any of these values.
ONE, TWO, THREE = 1_999_999_001, 1_999_999_002, 1_999_999_003
WORD = "a word that no row has"

Value = int | str
Text = tuple[str, tuple[tuple[int | None, Any], ...]]  # SQL; of each parameter its index, or None and the value


class PreparedQuery:
    """A query compiled once with placeholders; with `change` an UPDATE of the rows it selects. `make` runs once."""

    def __init__(
        self, make: Callable[[], QuerySet], *marks: Value, change: Mapping[str, Expression] | None = None
    ) -> None:
        self.make, self.marks, self.change = make, marks, change
        self.texts: dict[str, Text] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The rows as tuples from the database: for numbers and plain text."""
        with connection.cursor() as cursor:
            cursor.execute(*self._filled(values))
            return cursor.fetchall()

    def models(self, kind: type[Model], *values: Value) -> list[Any]:
        """The rows as models of this kind."""
        return list(kind._base_manager.raw(*self._filled(values)))

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
