from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from measures.ranking import ordered

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
    assert ordered([0.1, 0.9], key=lambda score: score) == [0.9, 0.1], "best first, unless told otherwise"
    rows = list(enumerate(scores))
    shown = ordered(rows, key=lambda row: row[1])
    for (first, one), (second, other) in pairwise(shown):
        assert one != other or first < second
