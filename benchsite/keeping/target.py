"""What a restore would write over, and the tables that it writes into."""

from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor

from benchmarks.commands import CallerMistake
from benchsite.keeping.contents import OF_DJANGO, tables
from benchsite.keeping.files import places

Key = tuple[str, str]  # app, migration


def what_would_go() -> dict[str, int]:
    """Rows a table and files a folder that stand there now."""
    present = set(connection.introspection.table_names())
    counted = {
        model._meta.label: model._base_manager.count()
        for model in tables()
        if model._meta.label not in OF_DJANGO and model._meta.db_table in present
    }
    files = {f"files in {folder}": sum(1 for _ in where.names()) for folder, where in places().items()}
    return {name: count for name, count in (counted | files).items() if count}


def check_known(recorded: set[Key]) -> None:
    """A backup of a newer version can't be read by this one."""
    known = set(MigrationExecutor(connection).loader.disk_migrations)
    ours = {app.label for app in apps.get_app_configs()}
    if strange := sorted(f"{app}.{name}" for app, name in recorded - known if app in ours):
        raise CallerMistake(f"the backup was made by a newer version of the site, which has {', '.join(strange[:3])}")


def make_tables(recorded: set[Key]) -> Any:
    """Bring the database to the state that the backup was made in; give the models as they were then."""
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
    """New rows get keys above those that were restored."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), every):
            cursor.execute(statement)


def bring_up_to_date() -> None:
    """Whatever has been added since the backup was made."""
    call_command("migrate", verbosity=0, interactive=False)
