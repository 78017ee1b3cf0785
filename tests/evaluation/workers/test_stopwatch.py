"""Where a worker's time goes: every second counts once."""

import time

import pytest

from evaluation.workers.stopwatch import Stopwatch


def test_time_in_an_activity_within_another_counts_for_the_inner_one_alone(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    watch = Stopwatch()
    with watch.during("model"):
        clock[0] += 1
        with watch.during("decode"):
            clock[0] += 4
        clock[0] += 2
    clock[0] += 8
    assert (watch.spent("model"), watch.spent("decode")) == (3, 4)
    assert watch.take() == {"decode": 4, "model": 3, "write": 0, "wait": pytest.approx(8)}
    assert watch.spent("model") == 0
