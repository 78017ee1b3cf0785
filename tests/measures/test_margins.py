"""Figures of margins against scikit-learn, tables made by hand, and simulated answerers."""

import math

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score

from measures.detection.margins import figures_of_margins
from measures.detection.roc import detection
from measures.scores.log_probabilities import NotLogProbabilities, checked_log_probs, margin_of, most_likely
from measures.shares.item_response import expit

OPTIONS = ("yes", "no")


def answers(rng, n=200, shift=1.0):
    truth = rng.random(n) < 0.5
    return rng.normal(shift * (truth - 0.5), 1).round(1), truth, rng.integers(0, n // 2, n)


@pytest.mark.parametrize("seed", range(5))
def test_area_brier_and_calibration_are_those_of_scikit_learn(seed):
    margins, truth, clips = answers(np.random.default_rng(seed))
    found = figures_of_margins(margins, truth, clips)
    chance = 1 / (1 + np.exp(-margins))
    shares, means = calibration_curve(truth, chance, n_bins=10)
    assert found.area.value == pytest.approx(roc_auc_score(truth, margins), abs=1e-12)
    assert found.brier.value == pytest.approx(brier_score_loss(truth, chance), abs=1e-12)
    assert [one.share for one in found.bins] == pytest.approx(list(shares))
    assert [one.probability for one in found.bins] == pytest.approx(list(means))


def test_figures_of_a_table_made_by_hand():
    """Four of five plausible clips and one of five implausible ones get a yes; one margin of 0 is no answer."""
    margins = [2, 1, 3, 1, -1, 1, -2, -1, -3, 0]
    found = figures_of_margins(margins, [True] * 5 + [False] * 5, range(10))
    by_hand = detection(4, 5, 1, 5)
    assert (found.d_prime.value, found.criterion.value) == pytest.approx((by_hand.d_prime, by_hand.criterion))
    assert found.d_prime.value == pytest.approx(2 * 0.6744897501960817)  # rates 4.5 / 6 and 1.5 / 6
    assert found.accuracy == 0.7
    assert found.n == 10
    assert found.positives == 5


def test_intervals_hold_the_truth_and_know_clusters():
    """In 95 % of 200 studies of a known answerer the intervals hold area and d'; copies of a clip add nothing."""
    rng, held = np.random.default_rng(1), np.zeros(2)
    for _ in range(200):
        truth = np.arange(200) < 100
        found = figures_of_margins(rng.normal(np.where(truth, 0.5, -0.5), 1), truth, range(200))
        area, d_prime = 0.5 * math.erfc(-0.5), 1.0
        held += [found.area.low <= area <= found.area.high, found.d_prime.low <= d_prime <= found.d_prime.high]
    assert (held >= 182).all()
    margins, truth, _ = answers(rng, 100)
    one = figures_of_margins(margins, truth, range(100))
    twice = figures_of_margins([*margins, *margins], [*truth, *truth], [*range(100)] * 2)
    assert twice.area.high - twice.area.low == pytest.approx(one.area.high - one.area.low, rel=0.02)


def test_one_kind_of_item_has_no_figures_and_nan_is_refused():
    assert figures_of_margins([1, 2], [True, True], [0, 1]) is None
    with pytest.raises(ValueError, match="not a finite number"):
        figures_of_margins([1, math.nan], [True, False], [0, 1])
    assert list(expit(np.array([-2000.0, 0.0, 2000.0]))) == [0.0, 0.5, 1.0]  # without overflow


def test_numbers_that_are_no_log_probabilities():
    for given, why in (
        ({"yes": -0.1}, "no log-probability of 'no'"),
        ({"yes": -0.1, "no": "-2"}, "no log-probability of 'no'"),
        ({"yes": True, "no": -2}, "no log-probability of 'yes'"),
        ({"yes": 0.1, "no": -2}, "'yes' is 0.1: at most 0"),
        ({"yes": math.nan, "no": -2}, "'yes' is nan, not a finite number"),
        ({"yes": -1, "no": -math.inf}, "'no' is -inf, not a finite number"),
        ({"yes": -1, "no": -1, "maybe": -3}, "'maybe' is none of the options yes, no"),
    ):
        with pytest.raises(NotLogProbabilities, match=why):
            checked_log_probs(given, OPTIONS)


def test_margin_and_most_likely_option():
    known = checked_log_probs({"No": -2, " YES ": -0.5}, OPTIONS)
    assert (margin_of(known), most_likely(known)) == (1.5, "yes")
    assert most_likely({"yes": -1.0, "no": -1.0}) is None
    assert margin_of({"a": -1.0, "b": -2.0, "c": -3.0}) is None
