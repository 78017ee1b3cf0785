from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import kendalltau, spearmanr

from measures.intervals import Interval
from measures.ranking import kendall_tau, ordered, rank_correlation, rank_ranges, tie_groups

maybe_scores = some.lists(some.one_of(some.none(), some.floats(0, 1)))


@pytest.mark.requirement("M5")
@given(maybe_scores, some.booleans())
def test_missing_comes_last_both_ways_and_zero_is_a_score(scores, descending):
    shown = ordered(scores, key=lambda score: score, descending=descending)
    known = [score for score in shown if score is not None]
    assert sorted(known, reverse=descending) == known
    assert shown == known + [None] * scores.count(None)
    assert shown.count(0.0) == scores.count(0.0)


@given(maybe_scores)
def test_the_order_of_equals_is_the_order_given(scores):
    rows = list(enumerate(scores))
    shown = ordered(rows, key=lambda row: row[1])
    for (first, one), (second, other) in pairwise(shown):
        assert one != other or first < second


@pytest.mark.parametrize(
    ("intervals", "ranks"),
    [
        ([(0.9, 0.95), (0.5, 0.6), (0.55, 0.7)], [(1, 1), (2, 3), (2, 3)]),
        ([(0.5, 0.6), None, (0.1, 0.2)], [(1, 1), None, (2, 2)]),
        ([(0.1, 0.5), (0.4, 0.8), (0.7, 0.9)], [(2, 3), (1, 3), (1, 2)]),
        ([None], [None]),
        ([], []),
    ],
)
def test_rows_that_overlap_share_a_range_of_ranks(intervals, ranks):
    assert rank_ranges([None if ends is None else Interval(*ends) for ends in intervals]) == ranks


@pytest.mark.parametrize(
    ("intervals", "groups"),
    [
        ([(0.9, 0.95), (0.5, 0.6), (0.55, 0.7)], [1, 2, 2]),
        ([(0.1, 0.2), None, (0.5, 0.6)], [2, None, 1]),
        ([(0.4, 0.8), (0.7, 0.9), (0.1, 0.5)], [1, 1, 2]),
        ([(0.5, 0.6), (0.5, 0.6)], [1, 1]),
        ([], []),
    ],
)
def test_rows_that_reach_the_best_of_their_group_are_in_it(intervals, groups):
    assert tie_groups([None if ends is None else Interval(*ends) for ends in intervals]) == groups


@given(some.lists(some.tuples(some.floats(0, 1), some.floats(0, 1)).map(sorted)))
def test_a_later_group_lies_wholly_below_the_best_of_an_earlier_one(ends):
    intervals = [Interval(low, high) for low, high in ends]
    groups = tie_groups(intervals)
    for number in set(groups):
        best = max(
            (one for one, group in zip(intervals, groups, strict=True) if group == number),
            key=lambda one: (one.high, one.low),
        )
        assert all(one.high < best.low for one, group in zip(intervals, groups, strict=True) if group > number)


@pytest.mark.parametrize("size", [2, 8, 30])
def test_tau_is_scipys_with_and_without_ties(size):
    rng = np.random.default_rng(size)
    for first, second in (rng.random((2, size)), rng.integers(0, 4, (2, size))):
        theirs = kendalltau(first, second).statistic
        ours = kendall_tau(first.tolist(), second.tolist())
        assert ours is None if np.isnan(theirs) else ours == pytest.approx(theirs)


def test_tau_of_nothing_and_of_two_lengths():
    assert kendall_tau([], []) is None
    assert kendall_tau([1, 1], [1, 2]) is None
    with pytest.raises(ValueError, match="shorter"):
        kendall_tau([1, 2], [1])


def test_rank_correlation_is_scipys():
    rng = np.random.default_rng(7)
    for size in (2, 5, 40):
        first, second = rng.integers(0, 4, size), rng.integers(0, 4, size)
        if len(set(first)) > 1 and len(set(second)) > 1:
            assert rank_correlation(first.tolist(), second.tolist()) == pytest.approx(
                spearmanr(first, second).statistic
            )
    assert rank_correlation([1, 2, 3], [5, 6, 9]) == pytest.approx(1)
    assert rank_correlation([1, 1], [1, 2]) is None
    assert rank_correlation([], []) is None
