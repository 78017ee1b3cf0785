"""Fills an empty site from a backup, whichever of the databases either of them has.

The file is checked from end to end before anything is touched. Rows go in within one transaction: all or none.
"""

import gzip
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import DatabaseError, IntegrityError, connection, models, transaction

from benchmarks.commands import CallerMistake
from benchmarks.planner import learn_sizes
from benchsite.keeping.archive import Archive
from benchsite.keeping.backup import Show, key_print
from benchsite.keeping.contents import tables
from benchsite.keeping.files import places
from benchsite.keeping.rows import AT_ONCE, read_rows
from benchsite.keeping.target import (
    bring_up_to_date,
    check_known,
    empty,
    make_tables,
    set_sequences,
    what_would_go,
)
from evaluation.bulk import insert_rows

MB = 1_000_000


def checked(path: Path, show: Show) -> Archive:
    """The archive, every part of it read once."""

    def progress(done: int, total: int) -> None:
        show("MB checked", math.ceil(done / MB), math.ceil(total / MB))

    return Archive(path, progress)


def restore(archive: Archive, *, replace: bool, show: Show) -> dict[str, Any]:
    """Rows and files that were put in; and whether SECRET_KEY is the one of the site that was backed up."""
    recorded = {(app, name) for app, name in archive.facts["migrations"]}
    check_known(recorded)
    there = what_would_go()
    if there and not replace:
        words = ", ".join(f"{count} {name}" for name, count in there.items())
        raise CallerMistake(f"this site is not empty. `--replace` would delete: {words}")
    rows = _fill_tables(archive, make_tables(recorded), show)
    learn_sizes()
    files = _put_files(archive, show)
    bring_up_to_date()
    is_same = archive.facts["secret_key_print"] == key_print()
    return {"rows": rows, "files": files, "replaced": there, "same_secret_key": is_same}


def _fill_tables(archive: Archive, then: Any, show: Show) -> int:
    """All of them within one transaction."""
    every, facts = tables(then), archive.facts["tables"]
    total = sum(one["rows"] for one in facts.values())
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        show("Rows", done, total)

    with transaction.atomic():
        for model in every:
            empty(model)
        for model in every:
            if model._meta.label in facts:
                _fill(archive, model, facts[model._meta.label], tell)
        set_sequences(every)
        try:
            connection.check_constraints()
        except IntegrityError as error:
            raise CallerMistake(f"{str(error).strip()}; nothing was restored") from error
    return total


def _fill(archive: Archive, model: type[models.Model], facts: dict[str, Any], tell: Callable[[int], None]) -> None:
    label = model._meta.label
    known = {field.attname: field for field in model._meta.local_concrete_fields}
    if strange := [name for name in facts["columns"] if name not in known]:
        raise CallerMistake(f"{label} has no column {strange[0]}: the backup does not fit its own list of migrations")
    fields = [known[name] for name in facts["columns"]]
    count = 0

    def counted(rows: Any) -> Any:
        nonlocal count
        for row in rows:
            count += 1
            if count % AT_ONCE == 0:
                tell(AT_ONCE)
            yield row

    try:
        with archive.open(f"database/{label}.jsonl.gz") as part, gzip.open(part) as lines:
            names = [str(field.column) for field in fields]
            insert_rows(model, names, counted(read_rows(iter(lines), fields, connection)))
    except (DatabaseError, ValueError, zlib.error, EOFError) as error:
        raise CallerMistake(f"{label}, near row {count}: {str(error).strip()}; nothing was restored") from error
    tell(count % AT_ONCE)
    if count != facts["rows"]:
        raise CallerMistake(f"{label} has {count} rows in place of {facts['rows']}; nothing was restored")


def _put_files(archive: Archive, show: Show) -> int:
    """Also deletes what was there and is not in the backup; returns how many were put."""
    total = sum(len(archive.names(folder)) for folder in places())
    done = 0
    for folder, where in places().items():
        for name in list(where.names()):
            where.delete(name)
        for name, content in archive.each(folder):
            where.put(name, content)
            done += 1
            show("Files", done, total)
    return done
