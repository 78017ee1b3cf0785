import evalica
import numpy as np
import pytest

from measures.ratings.bradley_terry import UnconnectedError, Votes, strengths_of
from tests.measures.ratings.vote_worlds import SKILLS, crossed_votes, planted

WINNERS = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}


@pytest.mark.parametrize("seed", range(3))
def test_strengths_equal_those_of_evalica(seed):
    votes = planted(seed, votes=800)
    oracle = evalica.bradley_terry(
        votes.first, votes.second, [WINNERS[share] for share in votes.share], tolerance=1e-12, limit=100_000
    )
    odds = np.log(oracle.scores.sort_index().to_numpy())

    found = strengths_of(votes, order=False)

    assert found.strengths == pytest.approx(odds - odds.mean(), abs=1e-6)
    assert found.order == 0.0


def test_order_and_strengths_are_found_where_first_place_helps():
    found = strengths_of(planted(1, order=0.4, votes=20_000, ties=0.0))

    assert found.order == pytest.approx(0.4, abs=0.06)
    assert found.strengths == pytest.approx(SKILLS, abs=0.12)
    assert found.ratings.values.mean() == pytest.approx(1000)


def test_groups_that_never_met_are_named():
    with pytest.raises(UnconnectedError) as caught:
        strengths_of(planted(pools=[[0, 1, 2], [3, 4, 5]], votes=300))

    assert caught.value.groups == [[0, 1, 2], [3, 4, 5]]


def test_row_that_never_lost_has_a_finite_strength_and_says_so():
    first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 1])
    votes = Votes(first, second, np.array([1.0, 1.0, 1.0, 1.0]), np.arange(4), np.arange(4))

    found = strengths_of(votes, order=False)

    assert found.is_ridged
    assert found.strengths.argmax() == 0
    assert np.isfinite(found.strengths).all()


def test_few_votes_that_the_order_explains_whole_are_fitted_and_say_so():
    """Row 0 is always shown second and as good as the others, whose only vote was won by the one shown first."""
    first, second = np.array([1, 1, 1, 2, 1, 2]), np.array([0, 0, 2, 0, 0, 0])
    votes = Votes(first, second, np.array([1.0, 0.0, 1.0, 0.0, 0.5, 1.0]), np.arange(6), np.arange(6))

    found = strengths_of(votes)

    assert found.is_ridged
    assert np.isfinite([*found.strengths, found.order]).all()
    assert not strengths_of(votes, order=False).is_ridged


def test_intervals_hold_the_truth_and_equal_rows_stay_together():
    """A small version of the table in docs/how-we-checked.md."""
    random = np.random.default_rng(3)
    held, apart = [], 0
    for _ in range(60):
        ratings = strengths_of(crossed_votes(random, np.zeros(5), people=30, prompts=20, each=2)).ratings
        held += [ratings.interval(np.eye(5)[row] - np.eye(5)[row + 1]).holds(0.0) for row in range(4)]
        apart += ratings.below.any()

    assert 0.9 < np.mean(held) < 0.99
    assert apart <= 8  # a binomial of 60 with 5 % exceeds it once in 200 times
