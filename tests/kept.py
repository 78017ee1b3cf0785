"""Makes a fixture's rows once per session and copies them afterwards: a board takes 300 ms to make and 10 to copy."""

import functools
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from sqlite3 import Connection
from typing import Any, ParamSpec, TypeVar

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from tests import factories

Rows = dict[str, dict[int, tuple[Any, ...]]]  # of each table, by SQLite's number of the row

# Migrations fill these; other rows do not depend on the users.
LEFT_OUT = ("django_", "auth_permission", "accounts_user", "sqlite_")
MADE_BY_NONE = "accounts_user"


@dataclass(frozen=True)
class Made:
    """The rows and the result of a fixture's first call, between these two times."""

    began: datetime
    ended: datetime
    rows: Rows
    times: dict[str, list[int]]  # of each table, the columns with times of this call
    sequences: dict[str, int]  # those that it moved
    drawn: tuple[int, int]
    pickled: bytes


P = ParamSpec("P")
T = TypeVar("T")
made: dict[tuple[Any, ...], Made] = {}


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a fixture that only adds and changes rows: it runs once for each state of the tables, then is copied.

    Its arguments and its result are rows, or collections of them; it neither changes the arguments nor depends on
    anything else. Times within the first call are shifted to the time of the copy. A fixture that creates users,
    deletes rows, writes files or leaves state in memory can't be kept.
    """

    @functools.wraps(make)
    def copied(*args: P.args, **kwargs: P.kwargs) -> T:
        connection.ensure_connection()
        if connection.vendor != "sqlite":
            return make(*args, **kwargs)
        before = _rows()
        state = (_drawn(), _digest(before), tuple(sorted(_sequences().items())))
        key = (make.__module__, make.__qualname__, _name((args, kwargs)), *state)
        if key not in made:
            made[key] = _first_call(lambda: make(*args, **kwargs), before)
        else:
            with transaction.atomic():  # foreign keys are checked at its end
                _copy(made[key])
        return pickle.loads(made[key].pickled)

    return copied


def _raw() -> Connection:
    return connection.connection


def _rows() -> Rows:
    names = _raw().execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = [name for (name,) in names if not name.startswith(LEFT_OUT)]
    is_filled = _raw().execute("SELECT " + ", ".join(f'EXISTS (SELECT 1 FROM "{name}")' for name in tables)).fetchone()
    found = {name: _raw().execute(f'SELECT rowid, * FROM "{name}"').fetchall() for name in compress(tables, is_filled)}
    return {name: {row[0]: row[1:] for row in rows} for name, rows in found.items()}


def _sequences() -> dict[str, int]:
    """The last primary key of each table: rolling back resets these numbers, emptying the tables does not."""
    rows = _raw().execute("SELECT name, seq FROM sqlite_sequence")
    return {name: last for name, last in rows if not name.startswith(LEFT_OUT)}


def _digest(rows: Rows) -> int:
    """A digest of all rows; times differ between tests, so only whether they lie ahead is included."""
    now = _now()
    values = (
        (table, number, *(value > now if isinstance(value, datetime) else value for value in row))
        for table, of_table in rows.items()
        for number, row in of_table.items()
    )
    return hash(tuple(values))


def _name(value: Any) -> Any:
    """The identity of an argument; fixtures that are not rows (`tmp_path`, `settings`) are refused."""
    if isinstance(value, Model):
        return (value._meta.label, value.pk)
    if isinstance(value, dict):
        return tuple((key, _name(inner)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return tuple(_name(inner) for inner in value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a kept fixture can't depend on {value!r}")


def _drawn() -> tuple[int, int]:
    return factories.counter.last, factories.ids.last


def _now() -> datetime:
    """The current time in the format of SQLite's rows."""
    return timezone.now().replace(tzinfo=None)


def _users() -> list[int]:
    return [number for (number,) in _raw().execute(f"SELECT rowid FROM {MADE_BY_NONE}")]


def _first_call(make: Callable[[], Any], before: Rows) -> Made:
    began, users, sequences = _now(), _users(), _sequences()
    result = make()
    after, ended = _rows(), _now()
    assert users == _users(), "a kept fixture can't make users"
    for table, rows in before.items():
        assert rows.keys() <= after.get(table, {}).keys(), f"a kept fixture can't delete rows of {table}"
    written = {
        table: {number: row for number, row in rows.items() if before.get(table, {}).get(number) != row}
        for table, rows in after.items()
    }
    changed = {table: rows for table, rows in written.items() if rows}
    times = {
        table: [
            place
            for place, column in enumerate(zip(*rows.values(), strict=True))
            if any(isinstance(value, datetime) and began <= value <= ended for value in column)
        ]
        for table, rows in changed.items()
    }
    advanced = dict(_sequences().items() - sequences.items())
    return Made(began, ended, changed, times, advanced, _drawn(), pickle.dumps(result))


def _copy(was: Made) -> None:
    later = _now() - was.ended

    def moved(row: tuple[Any, ...], columns: list[int]) -> list[Any]:
        values = list(row)
        for column in columns:
            if isinstance(value := values[column], datetime) and was.began <= value <= was.ended:
                values[column] = value + later
        return values

    for table, rows in was.rows.items():
        places = ", ".join("?" * len(next(iter(rows.values()))))
        columns = was.times[table]
        values = [moved(row, columns) for row in rows.values()] if columns else rows.values()
        _raw().executemany(f'INSERT OR REPLACE INTO "{table}" VALUES ({places})', values)
    for table, last in was.sequences.items():
        done = _raw().execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (last, table))
        if not done.rowcount:
            _raw().execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))
    factories.counter.last, factories.ids.last = was.drawn
