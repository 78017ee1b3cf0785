"""test_migrate_online.py runs this in a separate process: findings of the migration linter for PostgreSQL.

`python -m tests.benchsite.supervisor.migration_lint app.name …` prints {migration: [findings]} for migrations with
findings.
"""

import json
import logging
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()
logging.disable(logging.INFO)

from django.db import connection  # noqa: E402
from django.db.migrations.loader import MigrationLoader  # noqa: E402
from django_migration_linter import MigrationLinter  # noqa: E402
from django_migration_linter.sql_analyser import analyse_sql_statements  # noqa: E402


def findings(names: list[str]) -> dict[str, list[str]]:
    """Errors, and the warning about indexes that lock; people review data migrations."""
    linter, loader, found = MigrationLinter(no_cache=True), MigrationLoader(connection), {}
    for name in names:
        app, migration = name.split(".")
        assert (app, migration) in loader.disk_migrations, name
        sql = linter.get_sql(app, migration)
        errors, _, warnings = analyse_sql_statements(linter.sql_analyser_class, sql)
        wrong = [one.message for one in (*errors, *warnings) if one.code != "RUNPYTHON_REVERSIBLE"]
        if wrong:
            found[name] = sorted(set(wrong))
    return found


if __name__ == "__main__":
    print(json.dumps(findings(sys.argv[1:])))
