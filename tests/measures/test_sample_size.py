"""Precision and power before a study, compared with simulated studies of known parameters."""

import numpy as np
import pytest

from measures.estimate import figure_of_answers
from measures.shares.sample_size import SampleSize, Variation, half_width, power, variation_of

PEOPLE, ITEMS, EACH = 30, 24, 8  # each person answers a third of the items
TRUE = Variation(0.7, 0.01, 0.04)


def study(rng: np.random.Generator, share: float = TRUE.share) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers 0 and 1 with probability share + person + item; effects have two values, so it stays within 0 to 1."""
    person = rng.choice([-0.1, 0.1], PEOPLE)
    item = rng.choice([-0.2, 0.2], ITEMS)
    who = np.repeat(np.arange(PEOPLE), EACH)
    what = np.concatenate([rng.permutation(ITEMS)[:EACH] for _ in range(PEOPLE)])
    return (rng.random(len(who)) < share + person[who] + item[what]).astype(float), who, what


def test_the_variances_of_simulated_studies_are_found():
    rng = np.random.default_rng(3)
    found = [variation_of(*study(rng)) for _ in range(300)]
    assert np.mean([one.share for one in found]) == pytest.approx(TRUE.share, abs=0.01)
    assert np.mean([one.people for one in found]) == pytest.approx(TRUE.people, abs=0.003)
    assert np.mean([one.items for one in found]) == pytest.approx(TRUE.items, abs=0.006)


def test_the_planned_interval_is_as_long_as_those_of_studies():
    rng, size = np.random.default_rng(5), SampleSize(PEOPLE, ITEMS, PEOPLE * EACH)
    long = [figure_of_answers(*study(rng)).interval for _ in range(150)]
    seen = np.mean([(one.high - one.low) / 2 for one in long])
    assert half_width(TRUE, size) == pytest.approx(seen, rel=0.08)


def test_power_is_how_often_the_reference_is_told_apart():
    rng, size, reference = np.random.default_rng(7), SampleSize(PEOPLE, ITEMS, PEOPLE * EACH), 0.55
    beyond = [not figure_of_answers(*study(rng)).interval.holds(reference) for _ in range(300)]
    assert power(TRUE, size, reference) == pytest.approx(np.mean(beyond), abs=0.07)
    assert 0.03 < power(TRUE, size, TRUE.share) <= 0.05


def test_more_people_help_up_to_what_the_items_allow():
    widths = [half_width(TRUE, SampleSize(people, ITEMS, people * EACH)) for people in (10, 30, 300, 30_000)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(
        half_width(Variation(0.7, 0.0, 0.04), SampleSize(30_000, ITEMS, 10**8)), rel=0.01
    )
    assert widths[-1] > 0.07  # 24 items remain 24 items


@pytest.mark.parametrize(
    ("values", "people", "items"),
    [([], [], []), ([1.0], [1], [1]), ([1.0, 0.0], [1, 2], [1, 2]), ([1.0, 0.0], [1, 1], [1, 2])],
)
def test_a_pilot_that_shares_nothing_tells_no_variances(values, people, items):
    assert variation_of(values, np.array(people), np.array(items)) is None


def test_a_study_of_one_person_has_no_power():
    assert power(TRUE, SampleSize(1, ITEMS, ITEMS), 0.5) == 0.0
