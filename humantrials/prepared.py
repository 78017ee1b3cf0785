"""Queries whose text is written once: writing it takes Django ten times as long as running it takes SQLite.

For the few that come with every answer, some of them while others wait for a lock. What they ask is declared like any
other queryset, so that it is the same on every database.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.db import connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.sql import Query, UpdateQuery

# Stand for the values that come with each call while the text is written; no row and no lease has any of them.
ONE, TWO, THREE = 1_999_999_001, 1_999_999_002, 1_999_999_003
WORD = "a word that no row has"

Value = int | str
Text = tuple[str, tuple[tuple[int | None, Any], ...]]  # SQL; of each parameter the place among the values, or itself


class Prepared:
    """A query in which these marks are left open; with `change` an update of what it finds. `make` runs once."""

    def __init__(
        self, make: Callable[[], QuerySet], *marks: Value, change: Mapping[str, Expression] | None = None
    ) -> None:
        self.make, self.marks, self.change = make, marks, change
        self.texts: dict[str, Text] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The rows as the database gives them: for numbers and plain text."""
        with connection.cursor() as cursor:
            cursor.execute(*self._filled(values))
            return cursor.fetchall()

    def models(self, kind: type[Model], *values: Value) -> list[Any]:
        """The rows as models of this kind."""
        return list(kind._base_manager.raw(*self._filled(values)))

    def update(self, *values: Value) -> int:
        """Make the change; how many rows it met."""
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
