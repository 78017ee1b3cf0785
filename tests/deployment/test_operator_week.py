"""An operator's week, small: install, lose the database, upgrade, back up, lose the machine, restore."""

import json
import os

import pytest

from tests.warm import python


@pytest.mark.nginx  # the mark of tests that start a Redis of their own
@pytest.mark.postgres
@pytest.mark.worker
def test_nothing_acknowledged_is_lost_in_a_week():
    done = python(["-m", "bench.load.operator_week", "--small"], dict(os.environ), timeout=1200)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-3000:]}"
    assert [each["event"] for each in events][-2:] == ["nothing lost", "machine is lost"]
    assert events[-1]["acknowledged"] > 0
