"""The tests' tables are copied from an earlier process; they equal those that the migrations make now."""

import sqlite3
from contextlib import closing

import pytest
from django.db import connection

SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
APPLIED = "SELECT app, name FROM django_migrations ORDER BY app, name"


@pytest.mark.django_db
@pytest.mark.embedded(alone=True)
@pytest.mark.parametrize("question", [SCHEMA, APPLIED])
def test_the_copied_tables_are_those_that_the_migrations_make(tables, question):
    with connection.cursor() as cursor, closing(sqlite3.connect(tables)) as made:
        assert cursor.execute(question).fetchall() == made.execute(question).fetchall()
