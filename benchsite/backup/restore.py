"""Fills an empty site from a backup; the two may use different databases.

Before anything changes, the file is checked completely and data that would be overwritten is listed. Rows are inserted
in one transaction: all or none.
"""

import gzip
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor

from benchmarks.commands import CallerMistake
from benchmarks.packs.import_release import learn_sizes
from benchsite.backup.archive import Archive
from benchsite.backup.backup import Show
from benchsite.backup.contents import OF_DJANGO, tables
from benchsite.backup.files import places
from benchsite.backup.rows import AT_ONCE, read_rows
from benchsite.supervisor.serve import key_print
from evaluation.queue.bulk_insert import insert_rows

Key = tuple[str, str]  # app, migration


def what_would_go() -> dict[str, int]:
    """Rows by table and files by folder that a restore would replace."""
    present = set(connection.introspection.table_names())
    counted = {
        model._meta.label: model._base_manager.count()
        for model in tables()
        if model._meta.label not in OF_DJANGO and model._meta.db_table in present
    }
    files = {f"files in {folder}": sum(1 for _ in where.names()) for folder, where in places().items()}
    return {name: count for name, count in (counted | files).items() if count}


def check_known(recorded: set[Key]) -> None:
    """Refuse a backup from a newer version of the site."""
    known = set(MigrationExecutor(connection).loader.disk_migrations)
    ours = {app.label for app in apps.get_app_configs()}
    if strange := sorted(f"{app}.{name}" for app, name in recorded - known if app in ours):
        raise CallerMistake(f"the backup was made by a newer version of the site, which has {', '.join(strange[:3])}")


def make_tables(recorded: set[Key]) -> Any:
    """Migrate the database to the state of the backup; return the app registry of that state."""
    executor = MigrationExecutor(connection)
    if set(executor.loader.applied_migrations) != recorded:
        drop_tables()
        executor = MigrationExecutor(connection)
        executor.migrate(leaves(executor, recorded))
        executor = MigrationExecutor(connection)
    return executor.loader.project_state(leaves(executor, recorded)).apps


def leaves(executor: MigrationExecutor, recorded: set[Key]) -> list[Key]:
    """The last applied migrations of every app."""
    graph = executor.loader.graph
    inner = {
        parent.key
        for key in recorded
        if key in graph.node_map
        for parent in graph.node_map[key].parents
        if parent.key[0] == key[0]
    }
    return sorted(key for key in recorded - inner if key in graph.node_map)


def drop_tables() -> None:
    names = connection.introspection.table_names()
    quote = connection.ops.quote_name
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for name in names:
            end = " CASCADE" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TABLE IF EXISTS {quote(name)}{end}")


def empty(model: type[models.Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608  # nosec B608


def set_sequences(every: list[type[models.Model]]) -> None:
    """Set the sequences so that new rows get keys above the restored keys."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), every):
            cursor.execute(statement)


def bring_up_to_date() -> None:
    """Apply the migrations added since the backup was made."""
    call_command("migrate", verbosity=0, interactive=False)


MB = 1_000_000


def checked(path: Path, show: Show) -> Archive:
    """Open the archive and check every part."""

    def progress(done: int, total: int) -> None:
        show("MB checked", math.ceil(done / MB), math.ceil(total / MB))

    return Archive(path, progress)


def restore(archive: Archive, *, replace: bool, show: Show) -> dict[str, Any]:
    """Restore rows and files; return their numbers, and whether SECRET_KEY equals that of the backed-up site."""
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
    """Fill all tables in one transaction."""
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
    """Replace all files by those of the backup; return their number."""
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
