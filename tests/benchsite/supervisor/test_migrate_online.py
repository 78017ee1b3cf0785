"""Migrations run while the site serves (decision 0007): checked by a linter, and tried."""

import json
import subprocess
import sys
import uuid

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.humantrials.subprocesses import own_postgres
from tests.services import POSTGRES_URL
from tests.site import PATIENCE, ROOT, environment
from tests.warm import python

# The last migrations of the first version; the rule applies to later ones.
RELEASED = {
    "accounts": "0002_roles_scopes_and_acts",
    "benchmarks": "0007_material_for_annotation",
    "benchsite": "0001_maintenance",
    "evaluation": "0007_large_uploads_wait",
    "humantrials": "0010_annotation",
    "leaderboard": "0006_extremes_of_rows",
}


def later() -> list[str]:
    """Migrations that the first version did not have."""
    known = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return sorted(f"{app}.{name}" for app, name in known if app in RELEASED and name > RELEASED[app])


def lint(*names: str) -> dict[str, list[str]]:
    env = environment(ROOT) | {"DATABASE_URL": POSTGRES_URL}
    done = python(["-m", "tests.benchsite.supervisor.migration_lint", *names], env, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.postgres
def test_later_migrations_disturb_no_older_code_and_lock_nothing(tmp_path):
    """Earlier migrations, which break the rule, show that the linter finds violations."""
    found = lint("evaluation.0003_kept_results", "humantrials.0007_newcomers", *later())
    known = {name: found.pop(name) for name in ("evaluation.0003_kept_results", "humantrials.0007_newcomers")}
    assert "NOT NULL constraint on columns" in known["evaluation.0003_kept_results"]
    assert known["humantrials.0007_newcomers"] == ["CREATE INDEX locks table"]
    assert found == {}


@pytest.mark.django_db
def test_models_of_the_first_version_read_and_write_the_newest_tables():
    loader = MigrationLoader(connection)
    then = loader.project_state([*RELEASED.items()]).apps
    models = [model for app in RELEASED for model in then.get_app_config(app).get_models()]
    assert models
    assert {str(model): found for model in models if (found := trouble(model))} == {}


@pytest.mark.django_db
def test_a_column_that_older_code_does_not_fill_is_found():
    """The model of runs before 0003 lacks `results`, which has no default in the database."""
    then = MigrationLoader(connection).project_state([("evaluation", "0002_turns_and_codes")]).apps
    assert "results" in trouble(then.get_model("evaluation", "Run")).split(", ")


def trouble(model) -> str:
    """Why this model of an earlier version can't use its table: a missing column, or one that it can't fill."""
    with connection.cursor() as cursor:
        present = {
            column.name: column
            for column in connection.introspection.get_table_description(cursor, model._meta.db_table)
        }
    known = {field.column for field in model._meta.local_concrete_fields}
    gone = known - present.keys()
    unfilled = [
        name for name, column in present.items() if name not in known and not column.null_ok and column.default is None
    ]
    return ", ".join([*sorted(gone), *unfilled])


def test_of_two_machines_that_start_at_once_one_migrates(upgraded):
    _, (first, second) = upgraded
    assert sorted([bool(first), bool(second)]) == [False, True]
    assert len(first or second) > 40


GIVES_WAY = """
import os, sys, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
import django
django.setup()
from django.db import connection
import psycopg
from benchsite.supervisor import migrate_online

address, reads, tries, is_done = sys.argv[1], [], [], []
with connection.cursor() as cursor:
    cursor.execute("CREATE TABLE busy (id int)")
holder = psycopg.connect(address)
holder.execute("SELECT * FROM busy")  # a transaction that stays open

def read():
    while not is_done:
        with psycopg.connect(address) as reader:
            reader.execute("SELECT * FROM busy")
            reads.append(len(tries))

def migrate(*names, **options):
    tries.append(1)
    if len(tries) == 3:
        holder.commit()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE busy ADD COLUMN note text")
    is_done.append(1)

migrate_online.call_command, migrate_online.PAUSE, migrate_online.LOCK_SECONDS = migrate, 0.3, 1
migrate_online.pending = lambda: [] if is_done else ["a migration"]
reader = threading.Thread(target=read)
reader.start()
migrate_online.upgrade()
reader.join()
print(len(tries), sorted(set(reads)))
"""


@pytest.mark.postgres
def test_a_migration_gives_way_to_readers_and_gets_its_gap():
    """A reader has a long transaction, others queue behind the migration: they get through between its tries."""
    name = f"l2_upgrade_{uuid.uuid4().hex[:8]}"
    address = own_postgres(name, "CREATE")
    try:
        env = environment(ROOT) | {"DATABASE_URL": address}
        command = [sys.executable, "-c", GIVES_WAY, address]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE)
    finally:
        own_postgres(name, "DROP")
    assert done.returncode == 0, done.stderr
    tries, reads = done.stdout.split(maxsplit=1)
    assert tries == "3"
    assert {1, 2} <= set(json.loads(reads))
