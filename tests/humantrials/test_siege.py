"""A complete trial over HTTP while web server and worker are killed with -9; `make soak PART=siege` runs it in full."""

import pytest

from tests.humantrials.crash_load import main

SMALL = ["--clips=1", "--people=60", "--concurrency=8", "--kills=1"]
pytestmark = [pytest.mark.worker, pytest.mark.requirement("P1"), pytest.mark.requirement("P3")]


@pytest.fixture(autouse=True)
def one_web_process(monkeypatch):
    monkeypatch.setenv("WEB_PROCESSES", "1")  # the databases see a connection for each thread, whatever its process


def test_nothing_is_lost_and_every_item_has_its_three_answers_when_web_and_worker_are_killed_on_sqlite():
    assert main(["--database=sqlite", *SMALL]) == 0


@pytest.mark.postgres
def test_nothing_is_lost_and_every_item_has_its_three_answers_when_web_is_killed_and_its_connections_cut_on_postgres():
    assert main(["--database=postgres", "--worker=0", *SMALL]) == 0
