"""The figures of one difference agree: p rejects 0 just where the interval leaves it out."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from measures.estimate.differences import MCNEMAR, SCORE, PairedScores, difference

SHARE = some.sampled_from([0.0, 1.0])


def scores_of(rows):
    return [PairedScores((clip, clip), first, second) for clip, first, second in rows]


@given(some.lists(some.tuples(some.integers(0, 12), SHARE, SHARE), min_size=1, max_size=30))
def test_p_and_interval_of_a_difference_agree(rows):
    found = difference(scores_of(rows))
    assert (found.p < 0.05) == (not found.interval.holds(0.0))


@given(some.integers(0, 20), some.integers(0, 20), some.integers(0, 20))
def test_they_agree_where_each_clip_is_asked_about_once(first, second, alike):
    answers = [(1.0, 0.0)] * first + [(0.0, 1.0)] * second + [(1.0, 1.0)] * (alike + 1)
    found = difference(scores_of((clip, *pair) for clip, pair in enumerate(answers)))
    assert (found.p < 0.05) == (not found.interval.holds(0.0))


@pytest.mark.parametrize(("won", "alike", "test"), [(6, 2, SCORE), (8, 2, MCNEMAR), (4, 0, MCNEMAR)])
def test_where_the_interval_is_the_more_careful_the_score_test_is_named(won, alike, test):
    answers = [(1.0, 0.0)] * won + [(1.0, 1.0)] * alike
    found = difference(scores_of((clip, *pair) for clip, pair in enumerate(answers)))
    assert (found.test, found.p < 0.05) == (test, won == 8)
