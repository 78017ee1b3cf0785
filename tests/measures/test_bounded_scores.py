"""Intervals of points: a width for the number of items, and nominal coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from measures.figures import Interval
from measures.shares.crossed import sharing
from measures.shares.intervals import clustered_sums, mean_of_points

POINTS = np.arange(6) / 5  # 0 to 5 of 5
SPREADS = {  # frequency of each number of points
    "around the middle": (0.02, 0.08, 0.4, 0.4, 0.08, 0.02),
    "nearly always three": (0, 0.01, 0.02, 0.94, 0.02, 0.01),
    "mostly the best": (0.02, 0.03, 0.05, 0.1, 0.2, 0.6),
    "rarely anything": (0.85, 0.05, 0.04, 0.03, 0.02, 0.01),
    "all or nothing": (0.7, 0, 0, 0, 0, 0.3),
}


def of(points: np.ndarray) -> Interval:
    return mean_of_points(points, np.ones(len(points)))


@pytest.mark.parametrize("name", SPREADS)
@pytest.mark.parametrize("items", [30, 100])
def test_the_mean_is_covered_as_often_as_claimed(name, items):
    rng, mean = np.random.default_rng(1), float(np.dot(POINTS, SPREADS[name]))
    found = [of(rng.choice(POINTS, items, p=SPREADS[name])) for _ in range(2000)]
    assert np.mean([one.low <= mean <= one.high for one in found]) >= 0.93


def test_points_around_the_middle_have_less_than_the_width_of_right_and_wrong():
    rng = np.random.default_rng(2)
    points = rng.choice(POINTS, 100, p=SPREADS["around the middle"])
    ours, of_shares = of(points), clustered_sums(points, np.ones(100))
    assert ours.high - ours.low < 0.45 * (of_shares.high - of_shares.low)


@pytest.mark.parametrize(("n", "low", "high"), [(30, 0.4796, 0.5747), (1000, 0.5284, 0.5314)])
def test_equal_points_leave_open_only_what_their_number_does(n, low, high):
    """An earlier version gave thirty equal points of 0.53 the interval of right and wrong answers, 0.36 to 0.70."""
    found = of(np.full(n, 0.53))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_the_best_points_of_all_are_as_with_right_answers_alone():
    assert of(np.ones(59)) == Interval(pytest.approx(0.05 ** (1 / 59)), 1.0)  # exact one-sided bound


def test_questions_about_one_clip_count_as_one():
    rng = np.random.default_rng(3)
    points = rng.choice(POINTS, 40)
    single, fivefold = of(points), mean_of_points(5 * points, np.full(40, 5.0))
    assert (fivefold.low, fivefold.high) == pytest.approx((single.low, single.high))


@given(some.lists(some.sampled_from(list(POINTS)), min_size=1, max_size=40))
def test_the_mean_is_inside_and_the_ends_are_within_bounds(points):
    found = of(np.array(points))
    assert 0 <= found.low <= np.mean(points) + 1e-12
    assert np.mean(points) - 1e-12 <= found.high <= 1
    assert found.low < found.high


def test_points_about_pairs_of_clips_have_no_interval():
    with pytest.raises(ValueError, match="pairs have no interval"):
        mean_of_points(np.ones(3), np.ones(3), dependence=sharing(np.array([[1, 2], [2, 3], [1, 3]])))


def test_nothing_scored_is_anything_one_item_nearly_so_and_two_have_their_own_spread():
    assert of(np.array([])) == Interval(0.0, 1.0)
    assert (of(np.array([0.5])).low, of(np.array([0.5])).high) == pytest.approx((0.025, 0.975))
    seen = mean_of_points(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    unseen = 1 - 0.05**0.5  # what neither cluster can exclude
    assert seen.low < 0.5 * (1 - unseen)
