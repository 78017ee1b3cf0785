"""Bulk inserts into the site's tables under all constraints: COPY on PostgreSQL, prepared inserts on SQLite."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

AT_ONCE = 5_000  # rows per statement


class Table:
    """One table for bulk inserts; the caller gives the ids, and columns that are not named get their defaults."""

    def __init__(self, model: Any, *names: str) -> None:
        from django.db import connection

        self.model, self.names = model, (model._meta.pk.attname, *names)
        fields = {field.attname: field for field in model._meta.local_concrete_fields}
        self.fields = [fields[name] for name in self.names]
        self.others = [field for name, field in fields.items() if name not in self.names]
        self.constants = tuple(
            field.get_db_prep_save(field.pre_save(model(), add=True), connection) for field in self.others
        )
        self.columns = ", ".join(connection.ops.quote_name(field.column) for field in (*self.fields, *self.others))

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows of (primary key, values in the order of the column names)."""
        from django.db import connection

        full = ((*row, *self.constants) for row in rows)
        write = self._copy if connection.vendor == "postgresql" else self._insert
        write(connection.ops.quote_name(self.model._meta.db_table), full)

    def value(self, name: str, value: Any) -> Any:
        """The value in the form that the database takes, for JSON columns."""
        from django.db import connection

        return self.model._meta.get_field(name).get_db_prep_save(value, connection)

    def _copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            with cursor.copy(f"COPY {table} ({self.columns}) FROM STDIN") as target:
                for row in rows:
                    target.write_row(row)
            if self.names[0] == "id":
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence(%s, 'id'), (SELECT max(id) FROM {table}))",
                    [self.model._meta.db_table],
                )

    def _insert(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        places = ", ".join(["%s"] * (len(self.fields) + len(self.others)))
        with connection.cursor() as cursor:
            while block := list(islice(rows, AT_ONCE)):
                cursor.executemany(f"INSERT INTO {table} ({self.columns}) VALUES ({places})", block)
