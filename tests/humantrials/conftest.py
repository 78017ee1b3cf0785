"""A short trial, and somebody at its door."""

import pytest

from humantrials.models import Trial
from tests.humantrials.scenery import physics_item, physics_pack, running_trial
from tests.humantrials.walker import Walker


@pytest.fixture
def trial(db) -> Trial:
    """Two tests, one plausible and one implausible clip each, one answer wanted: two sheets of two clips."""
    pack = physics_pack(tests=2)
    physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    return running_trial(pack, replicates=1)


@pytest.fixture
def walker(client, trial) -> Walker:
    return Walker(client, trial)
