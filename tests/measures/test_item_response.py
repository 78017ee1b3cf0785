"""Simulated slopes and difficulties are recovered, and items with a wrong key are found."""

import numpy as np
import pytest
from scipy.special import expit

from measures.shares.item_response import flags_by_chance, flags_of, item_rest_correlation, two_parameter_fit


def drawn(people, items, seed, wrong=0, missing=0.0, spread=1.0):
    """Scores, true slopes and intercepts; the first `wrong` items have a reversed key."""
    rng = np.random.default_rng(seed)
    ability, slope, intercept = spread * rng.normal(size=people), rng.uniform(0.8, 2.0, items), rng.normal(size=items)
    scores = (rng.random((people, items)) < expit(np.outer(ability, slope) + intercept)).astype(float)
    scores[:, :wrong] = 1 - scores[:, :wrong]
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, slope, intercept


def test_parameters_come_back():
    scores, slope, intercept = drawn(1500, 40, seed=1, missing=0.2)
    fit = two_parameter_fit(scores)
    assert np.abs(fit.slope - slope).mean() < 0.15
    assert np.abs(fit.intercept - intercept).mean() < 0.12


@pytest.mark.parametrize("people", [12, 40])
def test_a_wrong_key_is_found_and_few_others_are(people):
    flags = []
    for seed in range(10):
        scores, *_ = drawn(people, 80, seed, wrong=8)
        flags.append(flags_of(two_parameter_fit(scores), item_rest_correlation(scores)))
    found = np.array(flags)
    print(f"{people} answerers: {found[:, :8].mean():.0%} of wrong keys, {found[:, 8:].mean():.1%} of others")
    assert found[:, :8].mean() > {12: 0.5, 40: 0.85}[people]
    assert found[:, 8:].mean() < 0.01


def test_item_rest_is_the_correlation_without_the_item_itself():
    scores = drawn(60, 6, seed=3)[0]
    rest = scores[:, 1:].mean(axis=1)
    assert item_rest_correlation(scores)[0] == pytest.approx(np.corrcoef(scores[:, 0], rest)[0, 1])
    scores[:, 2] = 1
    assert np.isnan(item_rest_correlation(scores)[2])


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0.09), (0.2, 0.06), (1.0, 0.002)])
def test_the_flags_that_chance_makes_are_foretold(spread, share):
    """As many as faultless items get, whatever answerers' spread, also where six keys of eighty are wrong."""
    made, foretold = [], []
    for seed in range(8):
        scores = drawn(24, 80, seed, wrong=6, spread=spread)[0]
        fit = two_parameter_fit(scores)
        made.append(flags_of(fit, item_rest_correlation(scores))[6:].mean())
        foretold.append(flags_by_chance(scores, fit, np.ones(80, bool)) / 80)
    assert np.mean(made) == pytest.approx(share, abs=0.02)
    assert np.mean(foretold) == pytest.approx(np.mean(made), abs=0.025)
