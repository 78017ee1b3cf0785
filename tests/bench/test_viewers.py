"""Simulated viewers: large and long is noticed by all, small and short by few, nothing by nobody."""

import numpy as np

from bench.generation.viewers import ENOUGH, SCREENS, line_of, noticed

CLEAR = {"pixels": 500, "seconds": 1.5, "contrast": 0.6}


def shares(**changes):
    return [noticed(CLEAR | changes, screen, np.random.default_rng(1)) for screen in SCREENS]


def test_what_is_clear_is_noticed_by_everybody():
    assert min(shares()) >= ENOUGH


def test_what_is_small_and_short_is_missed_at_ease_and_not_by_a_laboratory_eye():
    laboratory, desk, phone = shares(pixels=30, seconds=0.3, contrast=0.3)
    assert laboratory > 0.9
    assert max(desk, phone) < 0.5


def test_what_does_not_differ_is_noticed_by_nobody():
    assert shares(pixels=0, seconds=0.0) == [0.0] * len(SCREENS)


def test_a_longer_telltale_has_more_looks():
    short, long = (shares(pixels=60, contrast=0.4, seconds=seconds)[1] for seconds in (0.3, 3.0))
    assert long > short + 0.2


def test_a_test_that_some_miss_is_bold():
    assert "**`Inertia`**" in line_of(8, "Inertia", [1.0, 0.9, 1.0])
    assert "| `Inertia` | 100 % notice, 100 % right |" in line_of(8, "Inertia", [1.0, 1.0, 1.0])
