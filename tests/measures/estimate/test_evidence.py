"""Holm's adjustment against statsmodels', its own properties, and the threshold."""

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from statsmodels.stats.multitest import multipletests

from measures.estimate import excludes, family, lies_below, stands, with_untested
from measures.figures import Interval


@pytest.fixture(autouse=True, scope="module")
def nothing_to_collect():
    """Turn off statsmodels' garbage collection at every call: a second each once other tests have loaded torch."""
    gc.freeze()
    yield
    gc.unfreeze()


p_values = some.lists(some.floats(0, 1), min_size=1, max_size=40)


@given(p_values)
def test_statsmodels_agrees(ps):
    assert family(ps) == pytest.approx(list(multipletests(ps, method="holm")[1]), abs=1e-12)


@given(p_values)
def test_no_p_value_gets_smaller_and_the_order_stays(ps):
    adjusted = family(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, adjusted, strict=True))
    for p, q in zip(ps, adjusted, strict=True):
        assert all(q <= other_q for other, other_q in zip(ps, adjusted, strict=True) if p < other)


def test_p_values_alone_are_taken_and_what_stands_is_below_five_per_cent():
    assert family([]) == []
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="no p-value"):
            family([0.5, wrong])
    assert [stands(p) for p in (None, 1.0, 0.05, 0.0499)] == [False, False, False, True]
    assert [excludes(0.1, 0.3, value) for value in (0.0, 0.1, 0.3, 0.31)] == [True, False, False, True]
    assert not excludes(None, 0.3, 0.5)
    assert not excludes(0.1, None, 0.0)


def test_without_a_test_a_row_lies_below_if_the_intervals_do_not_overlap():
    high = Interval(0.5, 0.7)
    assert lies_below(Interval(0.2, 0.49), high)
    assert not lies_below(Interval(0.2, 0.5), high)
    below = with_untested(np.zeros((0, 0), bool), [None, None], [Interval(0.2, 0.49), high])
    assert below.tolist() == [[False, True], [False, False]]
    tested = np.array([[False, True], [False, False]])  # the last row lies below the first, whatever their intervals
    intervals = [Interval(0.2, 0.3), Interval(0.3, 0.5), Interval(0.5, 0.7)]
    below = with_untested(tested, [1, None, 0], intervals)
    assert np.argwhere(below).tolist() == [[2, 0]]
