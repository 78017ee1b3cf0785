"""Rows as JSON lines independent of the database: rows of SQLite can be read into PostgreSQL and back."""

import base64
import gzip
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
from django.db import models

AT_ONCE = 2000
Change = Callable[[Any], Any]
AS_THEY_ARE = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.FloatField,
    models.BooleanField,
    models.ForeignKey,
)


def write_rows(
    model: type[models.Model], fields: list[models.Field], *, using: str, target: Path, tell: Callable[[int], None]
) -> int:
    """Write the table's rows ordered by key, one list per line; return their number. `tell` is called per chunk."""
    names, count = [field.attname for field in fields], 0
    rows = model._base_manager.using(using).order_by("pk").values_list(*names)
    with gzip.open(target, "wb", compresslevel=1) as file:
        for row in rows.iterator(chunk_size=AT_ONCE):
            file.write(orjson.dumps(row, default=_plain, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
            if count % AT_ONCE == 0:
                tell(AT_ONCE)
    tell(count % AT_ONCE)
    return count


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"a column of {type(value).__name__} can't be written")


def read_rows(lines: Iterator[bytes], fields: list[models.Field], connection: Any) -> Iterator[tuple[Any, ...]]:
    """Yield each line as values for this database."""
    changes = [(place, change) for place, field in enumerate(fields) if (change := _change(field, connection))]
    for line in lines:
        row = orjson.loads(line)
        if len(row) != len(fields):
            raise ValueError(f"{len(row)} values in place of {len(fields)}: {line[:80]!r}")
        for place, change in changes:
            if row[place] is not None:
                row[place] = change(row[place])
        yield tuple(row)


def _change(field: models.Field, connection: Any) -> Change | None:
    """The function that converts a field's stored value for the database; None if none is needed."""
    if isinstance(field, models.ForeignKey):
        return _change(field.target_field, connection)
    if isinstance(field, models.JSONField):
        return lambda value: field.get_db_prep_save(value, connection)
    if isinstance(field, models.BinaryField):
        return base64.b64decode
    if isinstance(field, models.DurationField):
        return lambda value: field.get_db_prep_save(timedelta(seconds=value), connection)
    if isinstance(field, AS_THEY_ARE):
        return None
    return lambda value: field.get_db_prep_save(field.to_python(value), connection)
