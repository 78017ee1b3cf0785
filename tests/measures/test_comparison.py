from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.contingency_tables import mcnemar

from measures.comparison import (
    differs_from_chance,
    guessed_as_well,
    mcnemar_exact,
    minimum_detectable_difference,
    sign_flip,
)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (5, 5), (12, 3), (40, 71)])
def test_mcnemar_is_statsmodels(first, second):
    expected = mcnemar([[9, first], [second, 9]], exact=True).pvalue if first + second else 1.0
    assert mcnemar_exact(first, second) == pytest.approx(expected)


@pytest.mark.parametrize("size", [5, 10, 40])
def test_sign_flips_are_scipys(size):
    differences = np.random.default_rng(size).choice([-1.0, 0.0, 1.0, 0.5], size)
    found = sign_flip(list(differences), range(size))
    paired = permutation_test(
        (differences, np.zeros(size)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        rng=1,
    )
    assert found == pytest.approx(paired.pvalue, abs=0.02 if size > 12 else 1e-9)


def test_items_of_one_clip_are_one_observation():
    apart = sign_flip([1.0] * 6, range(6))
    together = sign_flip([1.0] * 6, [0, 0, 1, 1, 2, 2])
    assert apart == pytest.approx(2 / 64)
    assert together == pytest.approx(2 / 8)


def test_without_any_difference_there_is_nothing_to_find():
    assert sign_flip([0.0, 0.0], [1, 2]) == 1.0
    assert sign_flip([], []) == 1.0


def test_sign_flips_reject_as_often_as_they_say():
    """Two answerers of the same skill on 30 clips with two questions each: about 5 % of 400 studies."""
    rng = np.random.default_rng(5)
    clips = np.repeat(np.arange(30), 2)
    found = []
    for _ in range(400):
        skill = np.repeat(rng.beta(2, 2, 30), 2)
        first, second = (rng.random(60) < skill for _ in range(2))
        found.append(sign_flip(list(first.astype(float) - second), clips.tolist()) < 0.05)
    assert 0.02 <= np.mean(found) <= 0.08


def test_chance_is_tested_exactly():
    for n, chance in product((1, 2, 5, 12, 60, 128, 5000), (0.0, 0.05, 0.25, 1 / 3, 0.5, 0.8, 1.0)):
        for right in {0, 1, n // 4, n // 3, n // 2, n // 2 + 1, int(n * 0.55), n - 1, n}:
            found, wanted = differs_from_chance(right, n, chance), binomtest(right, n, chance).pvalue
            assert found == wanted or max(found, wanted) < 1e-300, (right, n, chance)
    assert differs_from_chance(0, 0, 0.5) == 1.0


def test_the_detectable_difference_is_found_as_often_as_it_says():
    """At n = 200 and 30 % discordance a difference of just this size is found in about four of five studies."""
    n, discordant = 200, 0.3
    difference = minimum_detectable_difference(n, discordant)
    assert difference is not None
    rng = np.random.default_rng(11)
    first = (discordant + difference) / 2
    counts = rng.multinomial(n, [first, discordant - first, 1 - discordant], size=2000)
    share = np.mean([mcnemar([[0, a], [b, 0]], exact=False, correction=False).pvalue < 0.05 for a, b, _ in counts])
    assert 0.77 <= share <= 0.84


@pytest.mark.parametrize(("n", "discordant"), [(0, 0.3), (10, 0.0), (3, 0.1)])
def test_a_study_too_small_to_find_anything_says_so(n, discordant):
    assert minimum_detectable_difference(n, discordant) is None


NINE_OF_TWELVE = np.array([1.0] * 9 + [0.0] * 3)


def test_guessing_is_tested_by_the_binomial_where_clips_are_asked_once():
    assert guessed_as_well(NINE_OF_TWELVE, np.ones(12), 0.25) == pytest.approx(binomtest(9, 12, 0.25).pvalue)


def test_repeating_a_question_makes_nobody_surer():
    once = guessed_as_well(NINE_OF_TWELVE, np.ones(12), 0.5)
    thrice = guessed_as_well(3 * NINE_OF_TWELVE, np.full(12, 3.0), 0.5)
    assert once <= thrice < 1


def test_who_says_the_same_of_both_statements_is_at_chance():
    assert guessed_as_well(np.ones(40), np.full(40, 2.0), 0.5) == pytest.approx(1.0)


def test_nothing_answered_differs_from_nothing():
    assert guessed_as_well(np.zeros(0), np.zeros(0), 0.5) == 1.0


def test_guessers_are_rejected_no_more_often_than_the_level_says():
    """1,000 guessers on 20 clips with four questions each, with correlated answers about one clip."""
    rng, rejected = np.random.default_rng(7), 0
    for _ in range(1000):
        of_clip = rng.beta(0.6, 0.6, 20)  # mean one half, far from independent
        right = rng.binomial(4, of_clip).astype(float)
        rejected += guessed_as_well(right, np.full(20, 4.0), 0.5) <= 0.05
    assert rejected <= 60
