"""The spread over wordings: by hand, without chance, and with intervals that hold the simulated value."""

import numpy as np
import pytest

from measures.shares.wordings import wording_spread


def test_without_an_effect_of_wording_nothing_is_left_but_chance():
    """All wordings are right on the same items: no spread and no noise."""
    table = np.repeat([[1.0], [0.0], [1.0]], 4, 1)
    found = wording_spread(table, "abc")
    assert found.scores == pytest.approx((2 / 3,) * 4)
    assert (found.seen, found.chance, found.own) == (0.0, 0.0, 0.0)
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_the_noise_is_the_mean_square_of_the_interaction_by_hand():
    table = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    found = wording_spread(table, range(4))
    left = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    square = (left**2).sum() / 3  # (4 - 1) (2 - 1) degrees of freedom
    assert found.chance**2 == pytest.approx(square / 4)
    assert found.seen**2 == pytest.approx(0.5**2 / 2)
    assert found.scores == (0.75, 0.25)


def test_clusters_of_items_that_change_together_are_more_noise():
    rng = np.random.default_rng(0)
    alike = np.repeat(rng.integers(0, 2, (20, 4)).astype(float), 5, 0)
    assert wording_spread(alike, np.repeat(range(20), 5)).chance > 2 * wording_spread(alike, range(100)).chance


def test_no_spread_exceeds_all_or_nothing_and_one_wording_or_cluster_has_no_interval():
    found = wording_spread([[1.0, 0.0, 0.0]] * 4, range(4))
    assert found.seen > 0.5
    assert (found.own, found.interval.high) == (0.5, 0.5)
    assert wording_spread([[1.0], [0.0]], "ab").interval is None
    assert wording_spread([[1.0, 0.0]], "a").interval is None


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.15])
def test_intervals_hold_the_spread_that_was_put_in(effect):
    rng, held, rounds = np.random.default_rng(1), 0, 400
    for _ in range(rounds):
        moved = np.clip(0.6 + rng.normal(0, effect, 5), 0.02, 0.98)
        found = wording_spread(rng.random((200, 5)) < moved, range(200))
        held += found.interval.low <= effect <= found.interval.high
    assert held / rounds >= 0.93
