"""Holm's adjustment against statsmodels', its own properties, and the threshold."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as some
from statsmodels.stats.multitest import multipletests

from measures.estimate import family, stands


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
