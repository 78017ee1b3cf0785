"""Simulated viewers: all notice large and long telltales, few notice small and short ones, nobody notices none."""

import numpy as np

from bench.generation.viewers import ENOUGH, LEGIBILITY, PAGE, SCREENS, line_of, measured, noticed, written

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
    assert line_of(8, "Inertia", [(1.0, 0.9), (1.0, 1.0)]) == "| 8 | **`Inertia`** | 100 / 90 | 100 / 100 |"
    assert line_of(8, "Inertia", [(1.0, 1.0), (1.0, 0.96)]) == "| 8 | `Inertia` | 100 / 100 | 100 / 96 |"


def test_the_figures_of_the_legibility_page_are_read_and_the_page_is_what_they_give():
    text = LEGIBILITY.read_text(encoding="utf-8")
    tables = dict(measured(text))
    assert [len(rows) for rows in tables.values()] == [16, 16, 16]
    number, test, (middle, worst) = next(iter(tables.values()))[0]
    assert (number, test, set(middle)) == (1, "Unchangeableness", {"seconds", "pixels", "contrast"})
    assert all(worst[name] <= middle[name] for name in middle)
    assert written(text) == PAGE.read_text(encoding="utf-8")
