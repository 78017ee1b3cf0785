import random
from statistics import fmean

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as some
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from measures.estimate import figure_of_answers
from measures.figures import Interval
from measures.shares import intervals
from measures.shares.crossed import either, sharing, spread
from measures.shares.intervals import (
    Effective,
    as_independent,
    clustered,
    from_variance,
    interval_of,
    nothing_of,
    t_quantile,
    two_sided,
    two_way_mean,
    wilson,
    wilson_of_variance,
)


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (10, 10), (1, 3), (64, 128), (127, 128), (5, 2000)])
def test_wilson_equals_statsmodels(successes, n):
    expected = proportion_confint(successes, n, method="wilson")
    assert (wilson(successes, n).low, wilson(successes, n).high) == pytest.approx(expected, abs=1e-12)
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(some.lists(some.tuples(some.booleans(), some.integers(0, 5)), min_size=1))
def test_intervals_hold_the_share_and_stay_within_bounds(answers):
    values, clusters = zip(*answers, strict=True)
    found = clustered(values, clusters)
    assert 0 <= found.low <= sum(values) / len(values) <= found.high <= 1
    assert found.low < found.high


def random_clusters(rng, clusters=40):
    sizes = rng.integers(1, 5, clusters)
    groups = np.repeat(np.arange(clusters), sizes)
    return (rng.random(len(groups)) < np.repeat(rng.beta(2, 2, clusters), sizes)).astype(float), groups


def test_cluster_variance_equals_statsmodels_sandwich():
    values, groups = random_clusters(np.random.default_rng(1))
    fit = sm.OLS(values, np.ones((len(values), 1))).fit()
    shared = (np.bincount(groups) ** 2).sum() / len(values) ** 2  # 1/40 for clusters of one size
    corrected = cov_cluster(fit, groups, use_correction=False)[0, 0] / (1 - shared)
    ours = spread(values - values.mean(), np.ones(len(values)), sharing(groups)).variance
    assert ours == pytest.approx(corrected, rel=1e-9)


def test_two_way_variance_equals_statsmodels_two_group_sandwich():
    rng = np.random.default_rng(2)
    persons, items = np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    values = (rng.random(120) < 0.2 + 0.6 * rng.random(12)[persons] * rng.random(10)[items]).astype(float)
    fit = sm.OLS(values, np.ones((120, 1))).fit()
    both, first, second = cov_cluster_2groups(fit, persons, items, use_correction=False)
    expected = both[0, 0] / (1 - (10 + 12 - 1) / 120)  # each judgment shares its person or item with 21
    ours = intervals.variance_of_mean(values, either(sharing(persons), sharing(items)))
    assert ours == pytest.approx(max(expected, first[0, 0] * 12 / 11, second[0, 0] * 10 / 9), rel=1e-9)


def test_repeating_each_answer_three_times_adds_nothing_known():
    answers = [1] * 30 + [0] * 20
    once, plain = clustered(answers, range(50)), wilson(30, 50)
    assert (once.low, once.high) == pytest.approx((plain.low, plain.high), abs=0.01)
    thrice = clustered(answers * 3, list(range(50)) * 3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_alike_counts_the_clusters_and_never_has_width_zero(value):
    found = clustered([value] * 20, [number // 2 for number in range(20)])
    assert found == wilson(10 * value, 10)


def coverage(interval_from, truth, rounds=600):
    """The coverage of the interval over fresh samples."""
    found = [interval_from(np.random.default_rng([7, number])) for number in range(rounds)]
    return sum(one.low <= truth <= one.high for one in found) / rounds


def test_clustered_interval_covers_as_often_as_it_says():
    assert coverage(lambda rng: clustered(*random_clusters(rng)), truth=0.5, rounds=1500) >= 0.93


def crossed(rng, persons=8, items=40):
    """Few people who judge every item, for which pooling is badly wrong."""
    who, what = np.repeat(np.arange(persons), items), np.tile(np.arange(items), persons)
    chance = 0.6 + rng.choice([-0.2, 0.2], persons)[who] + rng.choice([-0.15, 0.15], items)[what]
    return (rng.random(persons * items) < chance).astype(float), who, what


@pytest.mark.requirement("P13")
def test_pooled_wilson_covers_too_little_where_the_two_way_interval_holds():
    def pooled(rng):
        values, _, _ = crossed(rng)
        return wilson(values.sum(), len(values))

    assert coverage(pooled, truth=0.6) < 0.8
    assert coverage(lambda rng: figure_of_answers(*crossed(rng)).interval, truth=0.6) >= 0.93


@pytest.mark.parametrize(("clusters", "size"), [(64, 3), (5, 20), (30, 1)])
def test_nothing_right_has_no_higher_upper_end_than_one_right(clusters, size):
    labels = np.repeat(np.arange(clusters), size)
    found = [clustered((np.arange(len(labels)) < right).astype(float), labels).high for right in range(4)]
    assert found == pytest.approx(sorted(found))
    assert found[0] <= min(found) + 1e-12
    wrong = [clustered((np.arange(len(labels)) >= number).astype(float), labels).low for number in range(4)]
    assert wrong == pytest.approx([1 - high for high in found])


@pytest.mark.parametrize("right", [96, 97, 98, 99])
def test_near_100_percent_of_clustered_answers_the_upper_end_has_the_whole_error(right):
    """Twenty clips of five: the lower end never exceeds 84 %, so no interval lies above a truth beyond that."""
    values = (np.arange(100) < right).astype(float)
    found = as_independent(values, np.ones(100), sharing(np.repeat(np.arange(20), 5)))
    shown, halved = interval_of(found), two_sided(found)
    assert shown.low == halved.low <= 1 - nothing_of(found, 0.95) == pytest.approx(0.8389, abs=1e-4)
    number = found.shrunk(0.9, spare=1.0)
    assert shown.high == wilson(found.share * number, number, 0.9).high < halved.high
    mirrored = clustered(1 - values, np.repeat(np.arange(20), 5))
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - shown.high, 1 - shown.low))


def test_single_answers_and_shares_in_the_middle_have_half_of_it_at_each_end():
    single = as_independent(np.r_[np.ones(38), np.zeros(2)], np.ones(40))
    assert interval_of(single) == two_sided(single)
    middle = as_independent(np.tile([5.0, 0.0, 2.0], 20), np.full(60, 5.0))
    assert interval_of(middle) == two_sided(middle)


@pytest.mark.parametrize("clips", [3, 5, 20, 64])
def test_ends_rise_with_the_share(clips):
    found = [Effective(share, 2.0 * clips, clips, 5.0 * clips, clips - 1) for share in np.linspace(0.001, 0.999, 400)]
    ends = [interval_of(one) for one in found]
    assert all(0 <= one.low <= each.share <= one.high <= 1 for one, each in zip(ends, found, strict=True))
    for side in ("low", "high"):
        assert (np.diff([getattr(one, side) for one in ends]) >= -1e-12).all()


def test_few_people_reach_further_towards_one_half_than_wilson():
    """Twelve people, 95 % right, a quarter of the variance from single answers: solved for the end by hand."""
    variance, n = 4 * 0.95 * 0.05 / 1920, 1920
    shown, wilson_s = from_variance(0.95, variance, n, 12), wilson_of_variance(0.95, variance, n, 12)
    assert shown.high == wilson_s.high
    assert shown.low < wilson_s.low
    relative = shown.low * (1 - shown.low) / (0.95 * 0.05)
    implied = variance / 4 * relative + 3 * variance / 4 * relative**2
    assert (0.95 - shown.low) / implied**0.5 == pytest.approx(t_quantile(0.95, 11), abs=1e-5)
    mirrored = from_variance(0.05, variance, n, 12)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - shown.high, 1 - shown.low), abs=1e-8)


@pytest.mark.parametrize(("variance", "people"), [(0.95 * 0.05 / 1920, 12), (0.0, 12), (0.001, 1)])
def test_without_a_part_of_people_the_interval_is_wilsons(variance, people):
    assert from_variance(0.95, variance, 1920, people) == wilson_of_variance(0.95, variance, 1920, people)


@pytest.mark.parametrize(
    ("values", "people", "items"),
    [([3.0, 4.0], [1, 1], [1, 2]), ([3.0, 4.0], [1, 2], [1, 1]), ([5.0] * 4, [1, 1, 2, 2], [1, 2, 1, 2])],
)
def test_a_mean_of_ratings_with_an_unknown_variance_has_no_interval(values, people, items):
    assert two_way_mean(values, people, items) is None


def test_a_mean_of_ratings_is_held_about_as_often_as_it_says():
    rng, held = random.Random(5), 0
    for _ in range(200):
        people, items = [rng.gauss(0, 0.5) for _ in range(12)], [rng.gauss(0, 0.5) for _ in range(16)]
        rows = [
            (3 + one + other + rng.gauss(0, 0.7), a, b) for a, one in enumerate(people) for b, other in enumerate(items)
        ]
        found = two_way_mean(*map(list, zip(*rows, strict=True)))
        held += found.low <= 3 <= found.high
        assert found.low < fmean(value for value, _, _ in rows) < found.high
    assert 180 <= held <= 199


def test_two_people_and_two_items_are_enough_for_an_interval():
    found = two_way_mean([1.0, 3.0, 3.0, 5.0], [1, 1, 2, 2], [1, 2, 1, 2])
    assert found is not None
    assert found.low < 3 < found.high
