"""Sixty raters at once never give more answers than wanted, on SQLite and on PostgreSQL."""

import pytest

from tests.extensions.generated.rating import arrivals
from tests.humantrials.subprocesses import on_each_database

pytestmark = pytest.mark.worker
MODULE = "tests.extensions.generated.rating.arrivals"


@pytest.mark.parametrize(
    ("database", "people"), [("sqlite", 24), pytest.param("postgres", 60, marks=pytest.mark.postgres)]
)
def test_every_question_gets_exactly_its_answers(database, people):
    asked = [f"--database={database}", f"--people={people}", "--processes=6"]
    assert on_each_database(MODULE, None, arrivals.LOAD, asked, arrivals.here) == 0
