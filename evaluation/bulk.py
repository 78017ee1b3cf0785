"""Rows of the tables of answers, as fast as the database takes them: for uploads, which may bring a million at once.

`bulk_create` makes an object a row and asks for the keys back, which takes twenty times as long. Here the keys are
taken beforehand, and the rows go in by COPY (PostgreSQL) or by one prepared statement (SQLite).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models


def take_keys(model: type[models.Model], count: int) -> range | list[int]:
    """So many primary keys that nobody else gets; on SQLite as long as this transaction lasts."""
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
    """Put the rows into the model's table; a JSON value is given as its text."""
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["?"] * len(columns))
            # Without Django's cursor in between, which would rewrite the statement's places.
            with connection.wrap_database_errors:
                statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608  # our own names # nosec B608
                cursor.connection.executemany(statement, rows)
