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


def test_none_and_nonsense():
    assert family([]) == []
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="no p-value"):
            family([0.5, wrong])


def test_a_figure_stands_below_five_per_cent_alone():
    assert [stands(p) for p in (None, 1.0, 0.05, 0.0499)] == [False, False, False, True]


@pytest.mark.parametrize(("low", "high", "value"), [(0.1, 0.3, 0.0), (0.1, 0.3, 0.31)])
def test_an_interval_leaves_out_what_lies_beyond_its_ends(low, high, value):
    assert excludes(low, high, value)
    assert not excludes(low, high, min(max(value, low), high))
    assert not excludes(None, high, value)
    assert not excludes(low, None, value)


def test_without_a_test_a_row_lies_below_if_the_intervals_do_not_overlap():
    high = Interval(0.5, 0.7)
    assert lies_below(Interval(0.2, 0.49), high)
    assert not lies_below(Interval(0.2, 0.5), high)
    below = with_untested(np.zeros((0, 0), bool), [None, None], [Interval(0.2, 0.49), high])
    assert below.tolist() == [[False, True], [False, False]]
