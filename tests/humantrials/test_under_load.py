"""Assignment and erasure under load, small, on one database each; `make soak` runs load.py and erasing.py in full."""

import pytest

from tests.humantrials import erasing, load

pytestmark = [
    pytest.mark.worker,
    pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]),
]


@pytest.mark.requirement("P3")
def test_every_slot_gets_exactly_one_counted_judgment(database):
    assert load.main([f"--database={database}", "--clips=1", "--processes=4"]) == 0


def test_erasing_while_answers_arrive_leaves_no_row(database):
    assert erasing.main([f"--database={database}", "--people=3"]) == 0
