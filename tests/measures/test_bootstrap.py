import numpy as np
import pytest
from scipy.stats import bootstrap

from measures.bootstrap import cluster_bootstrap
from measures.comparison import error_consistency, error_consistency_interval
from measures.intervals import clustered


def share(sums):
    return sums[:, 0] / sums[:, 1]


def clustered_answers(rng, clusters=60, each=3):
    skill = np.repeat(rng.beta(3, 2, clusters), each)
    return (rng.random(clusters * each) < skill).astype(float), np.repeat(np.arange(clusters), each).tolist()


def test_one_observation_a_cluster_is_scipys_percentile_interval():
    values = np.random.default_rng(1).random(80)
    found = cluster_bootstrap(share, np.stack([values, np.ones(80)], axis=1), range(80), resamples=9_999)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=9_999, rng=2).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_a_clustered_share_is_as_wide_as_its_formula():
    values, clusters = clustered_answers(np.random.default_rng(3), clusters=200)
    found = cluster_bootstrap(share, np.stack([values, np.ones(len(values))], axis=1), clusters)
    formula = clustered(values.tolist(), clusters)
    assert found.high - found.low == pytest.approx(formula.high - formula.low, rel=0.1)


def test_the_bootstrap_covers_as_often_as_it_says():
    """400 studies of 60 clips with three questions each; the true share is that of beta(3, 2)."""
    held = 0
    for number in range(400):
        values, clusters = clustered_answers(np.random.default_rng([4, number]))
        counts = np.stack([values, np.ones(len(values))], axis=1)
        found = cluster_bootstrap(share, counts, clusters, resamples=499, seed=number)
        held += found.low <= 0.6 <= found.high
    assert 0.91 <= held / 400 <= 0.98


def test_the_interval_of_kappa_holds_it_and_covers():
    """Two answerers with nothing in common but their luck: kappa is 0."""
    held = 0
    for number in range(200):
        rng = np.random.default_rng([5, number])
        first, second = (rng.random(150) < 0.7).tolist(), (rng.random(150) < 0.6).tolist()
        found = error_consistency_interval(first, second, range(150))
        assert found.low <= error_consistency(first, second).kappa <= found.high
        held += found.low <= 0 <= found.high
    assert 0.9 <= held / 200 <= 0.99


def test_the_same_seed_gives_the_same_interval_whatever_the_blocks(monkeypatch):
    values, clusters = clustered_answers(np.random.default_rng(6))
    counts = np.stack([values, np.ones(len(values))], axis=1)
    whole = cluster_bootstrap(share, counts, clusters)
    monkeypatch.setattr("measures.bootstrap.AT_ONCE", 600)
    assert cluster_bootstrap(share, counts, clusters) == whole


def test_too_little_to_draw_from_gives_no_interval():
    assert cluster_bootstrap(share, [[1, 1], [0, 1]], ["a", "a"]) is None
    assert error_consistency_interval([True] * 4, [True] * 4, range(4)) is None


def test_every_observation_needs_its_cluster():
    with pytest.raises(ValueError, match="2 observations in 1 clusters"):
        cluster_bootstrap(share, [[1, 1], [0, 1]], ["a"])
