"""The area under the ROC curve against known values, its interval against many simulated studies; d′ and criterion."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, norm

from measures.detection.roc import Area, clustered_area, crossed_area, detection
from measures.figures import Interval
from measures.shares.crossed import sharing

PAIRS, STUDIES = 128, 400


def study(rng, *, shift=0.0, shared=0.0):
    """Scores of `PAIRS` pairs; `shared` is the share of the variance that both clips of a pair have in common."""
    common = np.sqrt(shared) * rng.normal(size=PAIRS)
    own = np.sqrt(1 - shared) * rng.normal(size=(2, PAIRS))
    scores = np.concatenate([common + own[0] + shift, common + own[1]])
    return scores, np.arange(2 * PAIRS) < PAIRS, np.tile(np.arange(PAIRS), 2)


def area_of(rng, **how):
    return clustered_area(*study(rng, **how))


def test_the_area_is_mann_whitneys():
    rng = np.random.default_rng(0)
    high, low = rng.normal(0.5, 1, 30).round(1), rng.normal(0, 1, 40).round(1)
    area = clustered_area([*high, *low], [True] * 30 + [False] * 40, np.arange(70))
    assert area.value == pytest.approx(mannwhitneyu(high, low).statistic / (30 * 40))


def test_the_error_is_delongs():
    """Hanley & McNeil's data in miniature, by hand: three against two."""
    area = clustered_area([3, 2, 1, 2, 0], [True, True, True, False, False], np.arange(5))
    tens, ones = np.array([1, 0.75, 0.5]), np.array([0.5, 1.0])
    assert area.value == pytest.approx(0.75)
    components = [*((tens - 0.75) / 3), *((ones - 0.75) / 2)]
    assert area.error == pytest.approx(np.sqrt(5 / 4 * np.sum(np.square(components))))


@pytest.mark.parametrize(("shift", "shared"), [(0.0, 0.0), (0.0, 0.9), (1.0, 0.0), (1.0, 0.5), (2.0, 0.9)])
def test_the_interval_covers_the_truth(shift, shared):
    """At least 95 %, within the error of 400 studies; two scores of different pairs differ with variance 2."""
    rng = np.random.default_rng(int(10 * shift + 100 * shared))
    truth = norm.cdf(shift / np.sqrt(2))
    intervals = [area_of(rng, shift=shift, shared=shared).interval() for _ in range(STUDIES)]
    covered = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert 0.92 <= covered <= 0.99


def test_pairs_of_one_draw_tell_a_small_difference_sooner_and_alike_ones_are_even():
    rng = np.random.default_rng(2)
    assert area_of(rng, shift=0.5, shared=0.95).error < area_of(rng, shift=0.5).error / 2
    area = area_of(np.random.default_rng(3), shared=1.0)
    assert (area.value, area.interval()) == (pytest.approx(0.5), Interval(0.5, 0.5))


def test_a_perfect_score_is_no_certainty_and_an_interval_stays_within_its_scale():
    _, positive, pairs = study(np.random.default_rng(4))
    area = clustered_area(positive.astype(float), positive, pairs)
    assert area.value == 1.0
    assert 0.9 < area.interval().low < 1.0 == area.interval().high
    assert Area(0.98, 0.02, 56).interval().high < 1
    assert Area(0.02, 0.02, 56).interval().low > 0


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="both kinds"):
        clustered_area([1, 2], [1, 1], np.arange(2))
    with pytest.raises(ValueError, match="not a number"):
        clustered_area([1, float("nan")], [1, 0], np.arange(2))


def test_an_area_of_crossed_scores_counts_their_levels():
    labels = [True, False] * 6
    area = crossed_area(np.arange(12) + 3 * np.array(labels), labels, sharing(np.repeat(np.arange(6), 2)))
    assert area.clusters == 6


def test_d_prime_and_criterion_of_a_worked_table():
    """45 of 50 signals and 10 of 50 noises are called signals; rates are corrected."""
    found = detection(45, 50, 10, 50)
    hit, alarm = norm.ppf(45.5 / 51), norm.ppf(10.5 / 51)
    assert found.d_prime == pytest.approx(hit - alarm)
    assert found.criterion == pytest.approx(-(hit + alarm) / 2)
    always_yes = detection(20, 20, 20, 20)
    assert (always_yes.d_prime, always_yes.criterion < -1) == (pytest.approx(0), True)
    assert 3 < detection(20, 20, 0, 20).d_prime < 6  # finite
    assert detection(0, 0, 0, 5) is detection(0, 5, 0, 0) is None


def test_more_yes_answers_than_questions_can_not_be():
    with pytest.raises(ValueError, match="can't be"):
        detection(5, 4, 0, 4)
