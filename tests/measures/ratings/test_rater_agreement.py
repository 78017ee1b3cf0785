import krippendorff
import numpy as np
import pytest

from measures.ratings.rater_agreement import ordinal_alpha, split_half


@pytest.mark.parametrize("seed", range(4))
def test_alpha_equals_that_of_krippendorff(seed):
    """With missing ratings, clips of one rating, and steps that nobody chose."""
    random = np.random.default_rng(seed)
    table = np.clip(np.round(random.normal(3, 1, 40) + random.normal(0, 0.8, (6, 40))), 1, 5)
    table[table == 4] = 5
    table[random.random(table.shape) < 0.4] = np.nan
    person, clip = np.nonzero(~np.isnan(table))

    found = ordinal_alpha(table[person, clip], clip)

    assert found == pytest.approx(krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal"))


def test_alpha_of_equal_ratings_and_of_single_ones_is_unknown():
    assert ordinal_alpha([3, 3, 3, 3], [0, 0, 1, 1]) is None
    assert ordinal_alpha([1, 2, 3], [0, 1, 2]) is None
    assert ordinal_alpha([], []) is None


def test_halves_of_people_agree_where_rows_differ_and_are_unknown_of_few():
    random = np.random.default_rng(2)
    rows, people = np.tile(np.arange(6), 40), np.repeat(np.arange(40), 6)
    noise = random.normal(0, 1, 240)

    assert split_half(rows + noise / 4, rows, people) > 0.95
    assert abs(split_half(noise, rows, people)) < 0.5
    assert split_half([1, 2, 3], [0, 1, 2], [0, 1, 2]) is None
    assert split_half([1, 2, 1, 2], [0, 1, 0, 1], [0, 1, 2, 3]) is None
    assert split_half([1.0] * 12, [0, 1, 2] * 4, [0, 1, 2, 3] * 3) is None
