"""Fault injection, small; `make soak PART=faults` runs all of it."""

import json
import os

import pytest

from tests.programs import python
from tools.bench.load.faults import AWAY

pytestmark = pytest.mark.worker
ASKED = ("none", "store", "kill")


@pytest.fixture(scope="module")
def found():
    """Findings on one site with visitors after no fault, after a slow store, and after kill -9."""
    env = {name: value for name, value in os.environ.items() if name not in AWAY}
    asked = ["-m", "tools.bench.load.faults", "--here", "--small", f"--faults={','.join(ASKED)}"]
    done = python(asked, env, timeout=1500)
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [report["fault"] for report in reports] == [*ASKED], done.stderr[-3000:]
    return {report["fault"]: report for report in reports}


def nothing_is_lost(report: dict) -> bool:
    return report["acknowledged"] > 0 < report["submissions"] and set(report["findings"].values()) == {0}


def test_readers_participants_and_submitters_at_once_meet_no_error_and_lose_nothing(found):
    assert nothing_is_lost(found["none"]), found
    assert found["none"]["failed_tries"] == 0, found


def test_a_slow_store_of_media_holds_up_clips_and_uploads_and_nothing_else(found):
    assert nothing_is_lost(found["store"]), found
    assert {"clip_late", "clip_slow", "clip_away", "pages_failed"} < set(found["store"]["findings"])


def test_killing_every_process_one_after_the_other_loses_nothing(found):
    assert nothing_is_lost(found["kill"]), found
    assert found["kill"]["failed_tries"] > 0  # the kills had an effect
