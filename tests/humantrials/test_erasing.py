"""A person who withdraws while answers arrive leaves no row; `python -m tests.humantrials.erasing` tests more."""

import pytest

from tests.humantrials.erasing import main


@pytest.mark.worker
def test_erasing_while_answers_arrive_leaves_no_row_on_sqlite():
    assert main(["--database=sqlite", "--people=3"]) == 0


@pytest.mark.worker
@pytest.mark.postgres
def test_erasing_while_answers_arrive_leaves_no_row_on_postgres():
    assert main(["--database=postgres", "--people=3"]) == 0
