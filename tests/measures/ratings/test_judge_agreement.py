import krippendorff
import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from measures.ratings.crossed_rows import mean_rows
from measures.ratings.judge_agreement import (
    kendall_tau,
    ordinal_alpha,
    pearson_r,
    quadratic_kappa,
    share_within,
    tau_interval,
)


@pytest.mark.parametrize("seed", range(4))
def test_ordinal_alpha_equals_that_of_krippendorff(seed):
    random = np.random.default_rng(seed)
    table = np.clip(random.integers(1, 6, 30) + random.integers(-1, 2, (4, 30)), 1, 5).astype(float)
    table[random.random(table.shape) < 0.3] = np.nan
    units = [column[~np.isnan(column)] for column in table.T]

    oracle = krippendorff.alpha(table, level_of_measurement="ordinal")

    assert ordinal_alpha(units) == pytest.approx(oracle, abs=1e-12)


def test_agreement_without_variation_is_unknown():
    assert ordinal_alpha([[5, 5], [5, 5]]) is None
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


def test_tau_is_sure_only_where_rows_are_apart():
    random = np.random.default_rng(5)
    prompts, rows = (axis.ravel() for axis in np.mgrid[:24, :5])

    def judged(spread):
        return mean_rows(spread * rows + random.normal(0, 0.5, 120), rows, random.permutation(120), prompts)

    sure, unsure = tau_interval(judged(1.0), judged(1.0)), tau_interval(judged(0.05), judged(0.05))

    assert sure.low > 0.9
    assert unsure.low < 0.5
