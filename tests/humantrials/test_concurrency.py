"""Assignment under load, small: many processes on one database. `make soak` runs load.py in full."""

import pytest

from tests.humantrials.load import main

SMALL = ["--clips=1", "--processes=4"]


@pytest.mark.worker
@pytest.mark.requirement("P3")
def test_every_slot_gets_exactly_one_counted_judgment_on_sqlite():
    assert main(["--database=sqlite", *SMALL]) == 0


@pytest.mark.worker
@pytest.mark.postgres
@pytest.mark.requirement("P3")
def test_every_slot_gets_exactly_one_counted_judgment_on_postgres():
    assert main(["--database=postgres", *SMALL]) == 0
