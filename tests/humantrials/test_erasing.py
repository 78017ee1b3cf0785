"""Who withdraws while their answers arrive leaves no row; more of it by `python -m tests.humantrials.erasing`."""

import pytest

from tests.humantrials.erasing import main


@pytest.mark.worker
def test_erasing_while_answers_arrive_leaves_no_row_on_sqlite():
    assert main(["--database=sqlite", "--people=3"]) == 0


@pytest.mark.worker
@pytest.mark.postgres
def test_erasing_while_answers_arrive_leaves_no_row_on_postgres():
    assert main(["--database=postgres", "--people=3"]) == 0
