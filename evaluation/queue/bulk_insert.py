"""Inserts answers as fast as the database allows, for uploads of up to a million rows.

`bulk_create` makes an object per row and reads the keys back, which takes twenty times as long. Here the keys are
reserved first, and the rows are inserted by COPY (PostgreSQL) or one prepared statement (SQLite).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models


def take_keys(model: type[models.Model], count: int) -> range | list[int]:
    """Reserve this many primary keys; on SQLite for the rest of the transaction."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
            cursor.execute(sequence, [table, count])
            return [key for (key,) in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        first = (cursor.fetchone() or (0,))[0] + 1
        return range(first, first + count)


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert the rows into the model's table; JSON values are passed as text."""
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["?"] * len(columns))
            # Bypasses Django's cursor, which would rewrite the placeholders.
            with connection.wrap_database_errors:
                statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  # our own names # nosec B608
                cursor.connection.executemany(statement, rows)
