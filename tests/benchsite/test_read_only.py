"""A read-only database: readers get pages, writers get a message, nothing is stored or lost, workers wait."""

import pytest

from tests.benchsite import read_only
from tests.humantrials.subprocesses import on_each_database


@pytest.mark.worker
@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_on_a_read_only_database_readers_go_on_and_writers_are_told(database):
    assert on_each_database("tests.benchsite.read_only", None, {}, [f"--database={database}"], read_only.here) == 0
