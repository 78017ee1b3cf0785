import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from measures.ratings.judge_agreement import kendall_tau, pearson_r, quadratic_kappa, share_within, tau_over_rows


def test_agreement_without_variation_is_unknown():
    assert quadratic_kappa([5, 5], [5, 5]) is None
    assert pearson_r([5, 5], [1, 2]) is None
    assert kendall_tau([1, 1], [1, 2]) is None
    assert share_within([], [], 1) is None


def test_agreement_of_columns():
    """Kappa from its definition with weights (i - j)², r and tau from scipy."""
    random = np.random.default_rng(0)
    first = random.integers(1, 6, 200)
    second = np.clip(first + random.integers(-2, 3, 200), 1, 5)
    seen = np.square(first - second).mean()
    by_chance = np.square(first[:, None] - second).mean()

    assert quadratic_kappa(first, second) == pytest.approx(1 - seen / by_chance)
    assert pearson_r(first, second) == pytest.approx(pearsonr(first, second)[0])
    assert kendall_tau(first.tolist(), second.tolist()) == pytest.approx(kendalltau(first, second)[0])
    assert share_within(first, second, 1) == np.mean(abs(first - second) <= 1)


def test_tau_over_rows_is_sure_only_where_the_orders_agree():
    rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]

    assert tau_over_rows(rows, rows).low == 1.0
    assert tau_over_rows(rows, [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]).low < 0.5
    assert tau_over_rows(rows[:3], rows[:3]) is None
    assert tau_over_rows(rows, [1.0] * 6) is None
