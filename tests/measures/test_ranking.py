from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from measures.intervals import Interval
from measures.ranking import ordered, rank_ranges

maybe_scores = some.lists(some.one_of(some.none(), some.floats(0, 1)))


@pytest.mark.beats("M5")
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
