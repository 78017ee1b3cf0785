"""Queries that are compiled to SQL once: compiling takes Django ten times as long as SQLite takes to run them.

For the few queries that run with every answer or page, some while others wait for a lock. They are declared as
querysets, so they are the same on every database.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import Query, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

# Placeholders for the values of each call while the SQL is compiled; no row and no lease has any of these values.
ONE, TWO, THREE, FOUR = range(1_999_999_001, 1_999_999_005)
SMALL = 32_701  # for columns of small integers: PostgreSQL's hold none of the others
WORD, OTHER_WORD = "a word that no row has", "another word that no row has"

OR_NOTHING = " ON CONFLICT DO NOTHING"  # ends an insert that leaves an equal row as it is

Value = int | str
Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Converters = tuple[tuple[int, Any, tuple[Converter, ...]], ...]  # place in the row, column, converter of its value


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


class RowReader:
    """Makes models of a query's rows, as its queryset does."""

    def __init__(self, compiler: SQLCompiler) -> None:
        chosen, columns = compiler.klass_info or {}, compiler.select or []
        own = chosen["select_fields"]
        self.kind: type[Model] = chosen["model"]
        self.own = slice(own[0], own[-1] + 1)
        self.names = [column.target.attname for column, *_ in columns[self.own]]
        self.related = get_related_populators(chosen, columns, connection.alias)  # type: ignore[call-arg]  # of Django 6
        found = compiler.get_converters([column for column, *_ in columns])
        self.converters: Converters = tuple((place, column, tuple(by)) for place, (by, column) in found.items())

    def read(self, row: Sequence[Any]) -> Model:
        values = list(row)
        for place, column, by in self.converters:
            for convert in by:
                values[place] = convert(values[place], column, connection)
        model = self.kind.from_db(connection.alias, self.names, values[self.own])
        for populator in self.related:
            populator.populate(values, model)
        return model


@dataclass(frozen=True)
class CompiledQuery:
    """A query's SQL for one database; each parameter is the index of a value given later, or None and its own value."""

    sql: str
    parameters: tuple[tuple[int | None, Any], ...]
    reader: RowReader | None  # of queries for models

    def filled(self, values: tuple[Value, ...]) -> tuple[str, list[Any]]:
        return self.sql, [own if place is None else values[place] for place, own in self.parameters]


class PreparedQuery:
    """A query compiled once with placeholders; with `change` an UPDATE of the rows it selects. `make` runs once."""

    def __init__(self, make: Callable[[], QuerySet], *marks: Value, change: Mapping[str, Any] | None = None) -> None:
        self.make, self.marks, self.change = make, marks, change
        self.compiled: dict[str, CompiledQuery] = {}

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """The rows as tuples from the database: for numbers and plain text."""
        with connection.cursor() as cursor:
            cursor.execute(*self._compiled().filled(values))
            return cursor.fetchall()

    def models(self, *values: Value) -> list[Any]:
        """The rows as models, each with those named in `select_related`."""
        reader = self._compiled().reader
        assert reader is not None, "a query for models"
        return [reader.read(row) for row in self.rows(*values)]

    def update(self, *values: Value) -> int:
        """Run the update; return the number of rows changed."""
        with connection.cursor() as cursor:
            cursor.execute(*self._compiled().filled(values))
            return cursor.rowcount

    def _compiled(self) -> CompiledQuery:
        return self.compiled.get(connection.vendor) or self._compile()

    def _compile(self) -> CompiledQuery:
        query: Query = self.make().query
        if self.change:
            update = cast(UpdateQuery, query.chain(UpdateQuery))
            update.add_update_values(dict(self.change))
            query = update
        compiler = query.get_compiler(connection.alias)
        sql, parameters = compiler.as_sql()
        placed = tuple(
            (self.marks.index(parameter) if parameter in self.marks else None, parameter) for parameter in parameters
        )
        reader = RowReader(compiler) if getattr(compiler, "klass_info", None) and not self.change else None
        return self.compiled.setdefault(connection.vendor, CompiledQuery(sql, placed, reader))
