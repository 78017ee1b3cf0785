import numpy as np
import pytest
from scipy.stats import t

from measures.ratings.crossed_rows import crossed_rows


def mean_rows(ratings, rows, people, prompts):
    """Means of ratings of each row from 0, in which its prompts have equal weights however often each was rated."""
    values, rows, prompts = (np.asarray(column) for column in (ratings, rows, prompts))
    means, parts = np.zeros(rows.max() + 1), np.zeros((len(values), rows.max() + 1))
    for row in range(len(means)):
        of_row = rows == row
        sizes = np.array([np.sum(of_row & (prompts == prompt)) for prompt in prompts])
        weights = np.where(of_row, 1 / np.maximum(sizes, 1), 0.0) / len(set(prompts[of_row]))
        means[row] = weights @ values
        parts[:, row] = weights * (values - means[row])
    return crossed_rows(means, parts, people, prompts)


def difference(figures, first, second):
    """The interval of the first row's figure minus the second's."""
    rows = np.eye(len(figures.values))
    return figures.interval(rows[first] - rows[second])


def test_prompts_have_equal_weights_however_often_they_were_rated():
    found = mean_rows([1, 1, 1, 5, 2], [0, 0, 0, 0, 1], [0, 1, 2, 3, 0], [7, 7, 7, 8, 7])

    assert found.values == pytest.approx([3.0, 2.0])


def test_difference_keeps_what_prompts_share():
    """Hard and easy prompts widen each row's interval; both rows have them, so their difference has none of it."""
    random = np.random.default_rng(1)
    prompts = np.repeat(np.arange(20), 2)
    rows, people = np.tile([0, 1], 20), random.permutation(40)
    ratings = random.normal(0, 2, 20)[prompts] + 0.5 * rows + random.normal(0, 0.1, 40)

    found = mean_rows(ratings, rows, people, prompts)

    assert difference(found, 1, 0).half_width < found.of_row(0).half_width / 5
    assert found.below.tolist() == [[False, True], [False, False]]


def test_severe_person_counts_once():
    """Ten people with tastes of their own: their number, not that of ratings, decides."""
    random = np.random.default_rng(2)
    people = np.repeat(np.arange(10), 30)
    ratings = random.normal(0, 1, 10)[people] + random.normal(0, 0.1, 300)

    interval = mean_rows(ratings, np.zeros(300, int), people, np.tile(np.arange(30), 10)).of_row(0)

    assert interval.half_width == pytest.approx(
        2.26 * np.std(ratings.reshape(10, 30).mean(axis=1), ddof=1) / 10**0.5, rel=0.1
    )


def test_one_person_or_one_prompt_has_no_interval():
    assert mean_rows([1, 2], [0, 0], [0, 0], [0, 0]).of_row(0) is None


def test_more_prompts_and_people_divide_the_covariance_and_the_separable_difference():
    random = np.random.default_rng(5)
    prompts, rows = (axis.ravel() for axis in np.mgrid[:12, :2])
    people = np.concatenate([random.permutation(8)[:2] for _ in range(12)])
    found = mean_rows(random.normal(3, 1, 24), rows, people, prompts)
    same, more = found.with_prompts(12), found.with_prompts(48)
    assert same.covariance == pytest.approx(found.covariance)
    assert more.covariance == pytest.approx(found.covariance / 4)
    for name in ("people", "cells", "prompts"):
        before, after = (getattr(one, name).degrees for one in (found, more))
        assert after == pytest.approx(4 * (before + 1) - 1)
    variance, degrees = more.variance([1, -1])
    assert more.separable == pytest.approx(t.ppf(0.975, degrees) * variance**0.5, rel=0.1)
    assert more.separable < 0.5 * found.separable
    assert mean_rows([1, 2, 1], [0, 0, 0], [0, 1, 2], [0, 1, 2]).separable is None


def test_intervals_hold_the_truth_and_equal_rows_stay_together():
    """A small version of the table in docs/how-we-checked.md: nobody rates two rows on one prompt."""
    random = np.random.default_rng(4)
    held, apart = [], 0
    for _ in range(60):
        prompts, rows = (axis.ravel() for axis in np.mgrid[:16, :5])
        people = np.concatenate([random.permutation(20)[:5] for _ in range(16)])
        tastes, quality = random.normal(0, 0.4, (20, 5)), random.normal(0, 0.5, (16, 5))
        ratings = 3 + tastes[people, rows] + quality[prompts, rows] + random.normal(0, 0.5, 80)
        found = mean_rows(ratings, rows, people, prompts)
        held += [found.of_row(row).holds(3.0) for row in range(5)]
        apart += found.below.any()

    assert 0.9 < np.mean(held) < 0.99
    assert apart <= 8  # a binomial of 60 with 5 % exceeds it once in 200 times
