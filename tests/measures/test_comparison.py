from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import binom, binomtest, permutation_test, t
from statsmodels.stats.contingency_tables import mcnemar

from measures.comparing.comparison import (
    at_most_by_chance,
    differs_from_chance,
    guessed_as_well,
    mcnemar_mid,
    minimum_detectable_difference,
    sign_flip,
)
from measures.comparing.probe_test import FOLDS, fold_of, tested_constant_guess, tested_guesses
from measures.shares.crossed import sharing
from measures.shares.intervals import clustered_sums


@pytest.mark.parametrize(("first", "second"), [(1, 0), (5, 5), (12, 3), (40, 71)])
def test_mcnemar_is_statsmodels_less_half_of_what_was_seen(first, second):
    exact = mcnemar([[9, first], [second, 9]], exact=True).pvalue
    seen = binom.pmf(first, first + second, 0.5)
    assert mcnemar_mid(first, second) == pytest.approx(exact - (seen / 2 if first == second else seen))
    assert mcnemar_mid(0, 0) == 1.0


@pytest.mark.parametrize(("items", "discordant"), [(24, 0.3), (48, 0.3), (98, 0.2), (98, 0.4)])
def test_mcnemar_rejects_equal_models_in_nearly_5_per_cent(items, discordant):
    """Exact, over all numbers of discordant items and their sides."""
    share = sum(
        binom.pmf(n, items, discordant) * binom.pmf(first, n, 0.5)
        for n in range(items + 1)
        for first in range(n + 1)
        if mcnemar_mid(first, n - first) < 0.05
    )
    assert 0.025 < share <= 0.055


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
    assert sign_flip([0.0, 0.0], [1, 2]) == sign_flip([], []) == 1.0


def test_chance_is_tested_exactly():
    for n, chance in product((1, 2, 5, 12, 60, 128, 5000), (0.0, 0.05, 0.25, 1 / 3, 0.5, 0.8, 1.0)):
        for right in {0, 1, n // 4, n // 3, n // 2, n // 2 + 1, int(n * 0.55), n - 1, n}:
            found, wanted = differs_from_chance(right, n, chance), binomtest(right, n, chance).pvalue
            assert found == wanted or max(found, wanted) < 1e-300, (right, n, chance)
    assert differs_from_chance(0, 0, 0.5) == 1.0


def test_guessing_is_tested_by_the_binomial_where_clips_are_asked_once_and_repeats_make_nobody_surer():
    nine_of_twelve = np.array([1.0] * 9 + [0.0] * 3)
    assert guessed_as_well(nine_of_twelve, np.ones(12), 0.25) == pytest.approx(binomtest(9, 12, 0.25).pvalue)
    once, thrice = (guessed_as_well(times * nine_of_twelve, np.full(12, times), 0.5) for times in (1.0, 3.0))
    assert once <= thrice < 1
    assert guessed_as_well(np.ones(40), np.full(40, 2.0), 0.5) == pytest.approx(1.0)  # the same of both statements
    assert guessed_as_well(np.zeros(0), np.zeros(0), 0.5) == 1.0


def test_hits_of_clips_are_not_rounded_towards_chance():
    """Four clips can be four answers."""
    cases = {(2, 0, 0, 0, 0): 0.125, (2, 1, 0, 0, 0): 0.141, (2, 1, 1, 1, 0, 0, 0, 0, 0): 0.032, (20, *[15] * 5): 0.025}
    for (size, *totals), p in cases.items():
        found = guessed_as_well(np.array(totals, float), np.full(len(totals), float(size)), 0.5)
        assert found == pytest.approx(p, abs=1e-3), totals


CLIPS = some.lists(some.tuples(some.integers(1, 6), some.floats(0, 1)), min_size=1, max_size=40)


@given(CLIPS, some.sampled_from([0.05, 0.25, 1 / 3, 0.5, 0.9]), some.booleans())
def test_p_of_clips_rejects_just_where_their_interval_leaves_chance_out(clips, chance, is_whole):
    sizes = np.array([size for size, _ in clips], float)
    totals = sizes * [share for _, share in clips]
    totals = totals.round() if is_whole else totals
    p, interval = guessed_as_well(totals, sizes, chance), clustered_sums(totals, sizes)
    are_single = ((totals == 0) | (totals == sizes)).all()
    assert 0 < p <= 1
    assert (p < 0.05) == (not interval.holds(chance)) or (are_single and p >= 0.05)


@given(some.lists(some.tuples(some.integers(0, 5), some.integers(0, 5), some.integers(0, 2)), min_size=2, max_size=40))
def test_p_of_dyads_rejects_just_where_their_interval_leaves_chance_out(rows):
    labels, totals = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows], float)
    sizes = np.full(len(rows), 2.0)
    p = guessed_as_well(totals, sizes, 0.5, sharing(labels))
    interval = clustered_sums(totals, sizes, dependence=sharing(labels))
    assert (p < 0.05) == (not interval.holds(0.5)) or (totals.sum() in (0, sizes.sum()) and p >= 0.05)


@pytest.mark.parametrize("clips", [4, 5, 8, 16])
def test_clips_whose_answers_all_agree_are_single_answers(clips):
    for right in range(clips + 1):
        once = np.repeat([1.0, 0.0], [right, clips - right])
        p = guessed_as_well(3 * once, np.full(clips, 3.0), 0.5)
        assert p >= differs_from_chance(right, clips, 0.5) * (1 - 1e-9)
        assert (p < 0.05) <= (differs_from_chance(right, clips, 0.5) < 0.05)


@pytest.mark.parametrize(("clips", "each"), [(4, 2), (8, 2), (16, 2), (64, 3)])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_true_nulls_are_rejected_in_at_most_five_per_cent(clips, each, correlation):
    rng, rejected, sizes = np.random.default_rng(7), 0, np.full(clips, float(each))
    for _ in range(400):
        of_clip = chances_of(clips, correlation, rng)
        rejected += guessed_as_well(rng.binomial(each, of_clip).astype(float), sizes, 0.5) < 0.05
    assert rejected <= 30  # 20 and two standard errors


def chances_of(clips, correlation, rng):
    """The chance of a right answer in each clip, one half in the mean."""
    if correlation in (0.0, 1.0):
        return rng.integers(2, size=clips).astype(float) if correlation else np.full(clips, 0.5)
    rest = (1 / correlation - 1) / 2
    return rng.beta(rest, rest, clips)


@pytest.mark.parametrize(("items", "discordant"), [(48, 0.3), (98, 0.2), (98, 0.5)])
def test_the_detectable_difference_has_the_power_it_claims(items, discordant):
    """Exact, over all numbers of discordant items and their sides."""
    assert {minimum_detectable_difference(*small) for small in ((0, 0.3), (10, 0.0), (3, 0.1))} == {None}
    difference = minimum_detectable_difference(items, discordant)
    assert difference is not None
    towards = (discordant + difference) / (2 * discordant)
    power = sum(
        binom.pmf(n, items, discordant) * binom.pmf(first, n, towards)
        for n in range(items + 1)
        for first in range(n + 1)
        if mcnemar_mid(first, n - first) < 0.05
    )
    assert 0.8 <= power < 0.85


@pytest.mark.parametrize("n", [1, 20, 1030, 100_000])
@pytest.mark.parametrize("chance", [0.0, 0.07, 0.5, 0.75, 0.96])
def test_few_right_by_chance_are_the_binomials_tail(n, chance):
    for right in {0, 1, n // 4, round(chance * n), n}:
        expected = binom.cdf(right, n, chance)
        assert at_most_by_chance(right, n, chance) == pytest.approx(expected, rel=1e-9, abs=1e-290)


def test_a_guess_that_is_always_the_same_is_tested_against_a_fixed_share_on_one_side():
    answers, clips = np.array([1] * 14 + [0] * 6), np.arange(20)
    right, wrong = (tested_constant_guess(0.5, np.full(20, guess), answers, clips) for guess in (1, 0))
    assert (right.n, right.accuracy, right.expected, wrong.accuracy) == (20, 0.7, 0.5, pytest.approx(0.3))
    assert (right.p, wrong.p) == (pytest.approx(0.0362, abs=5e-5), 1.0)


def test_learnt_guesses_are_tested_against_the_frequencies_of_each_fold():
    """The excess by a one-sided t test, with the half again that learning adds to the standard error."""
    truth = np.array([1, 1, 1, 0, 0, 0, 0, 1] * 4)
    guesses = np.array([1, 1, 0, 0, 0, 0, 1, 1] * 4)
    folds = np.arange(32) % 2  # all answers of one fold are guessed right, half of the other
    shares = [(truth[folds == fold].mean(), guesses[folds == fold].mean()) for fold in (0, 1)]
    by_chance = np.array([one * other + (1 - one) * (1 - other) for one, other in shares])[folds]
    excess = (guesses == truth) - by_chance
    found = tested_guesses(guesses, truth, np.arange(32), folds)
    assert (found.n, found.clusters, found.accuracy) == (32, 32, 0.75)
    assert found.expected == pytest.approx(by_chance.mean())
    assert found.p == pytest.approx(t.sf(excess.mean() / (1.5 * excess.std(ddof=1) / 32**0.5), 31))


def test_folds_are_shuffled_and_hold_whole_clusters():
    clusters = np.repeat(np.arange(100, 123), 3)
    folds = fold_of(clusters)
    of_cluster = folds.reshape(-1, 3)
    assert (of_cluster == of_cluster[:, :1]).all()
    assert sorted(np.bincount(of_cluster[:, 0], minlength=FOLDS)) == [4, 4, 5, 5, 5]
    assert of_cluster[:, 0].tolist() != [cluster % FOLDS for cluster in range(23)]
