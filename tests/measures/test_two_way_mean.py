"""The interval of a mean over people and items that is not a proportion, such as confidence in steps."""

import random
from statistics import fmean

import pytest

from measures.shares.intervals import two_way_mean


@pytest.mark.parametrize(
    ("values", "people", "items"),
    [([3.0, 4.0], [1, 1], [1, 2]), ([3.0, 4.0], [1, 2], [1, 1]), ([5.0] * 4, [1, 1, 2, 2], [1, 2, 1, 2])],
)
def test_an_unknown_variance_has_no_interval(values, people, items):
    assert two_way_mean(values, people, items) is None


def test_it_holds_the_true_mean_about_as_often_as_it_says():
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
