"""The figures of one cell agree: p rejects guessing just where the interval leaves it out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from leaderboard.standings.stored_cells import cell_of
from leaderboard.standings.tallies import ClipTally
from measures.shares.intervals import wilson

CLIP = some.integers(1, 4).flatmap(lambda n: some.tuples(some.just(n), some.integers(0, n)))
GUESSING = some.sampled_from([0.05, 0.1, 0.25, 1 / 3, 0.5, 0.75])


def tallies_of(clips, dyads=False):
    """A row for each (n, right); as dyads, neighbours share an object."""
    table = np.zeros((len(clips), len(ClipTally._fields)))
    for row, (n, right) in enumerate(clips):
        table[row, :2], table[row, -2:] = (n, right), (row, row + 1 if dyads else row)
    return table


@given(some.lists(CLIP, min_size=1, max_size=40), GUESSING, some.booleans(), some.booleans())
def test_p_and_interval_of_a_cell_agree(clips, guessing, dyads, is_points):
    cell = cell_of(tallies_of(clips, dyads and not is_points), guessing, guessing, is_points=is_points)
    assert (cell["p"] < 0.05) == (not cell["low"] <= guessing <= cell["high"])
    assert cell["low"] <= cell["score"] + 1e-9
    assert cell["score"] <= cell["high"] + 1e-9


@given(some.integers(1, 60).flatmap(lambda n: some.tuples(some.just(n), some.integers(0, n))), GUESSING)
def test_p_and_interval_of_single_answers_agree(answers, guessing):
    n, right = answers
    cell = cell_of(tallies_of([(1, 1)] * right + [(1, 0)] * (n - right)), guessing, guessing)
    assert (cell["p"] < 0.05) == (not cell["low"] <= guessing <= cell["high"])


def test_four_of_four_may_be_chance():
    cell = cell_of(tallies_of([(1, 1)] * 4), 0.5, 0.5)
    assert (cell["p"], cell["low"], cell["high"]) == (pytest.approx(0.125), 0.5, 1.0)


def test_an_interval_without_a_test_is_its_own():
    cell = cell_of(tallies_of([(1, 1)] * 4), 0.5)
    assert (cell["low"], "p" in cell) == (pytest.approx(wilson(4, 4).low), False)
