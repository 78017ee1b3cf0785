"""The variance with crossed factors, compared with the sum over all pairs of observations."""

import numpy as np
import pytest

from measures.shares.crossed import added_variance, common, either, sharing, spread

RNG = np.random.default_rng(4)
OBJECTS, PEOPLE = RNG.integers(0, 14, (70, 2)), RNG.integers(0, 9, 70)
RESIDUALS = RNG.normal(size=70)
RESIDUALS -= RESIDUALS.mean()
ONES = np.ones(70)
BY_OBJECT = np.array([[bool({*one} & {*other}) for other in OBJECTS] for one in OBJECTS])  # some pairs are loops
BY_PERSON = PEOPLE[:, None] == PEOPLE


@pytest.mark.parametrize(
    ("dependence", "shares"),
    [
        (sharing(PEOPLE), BY_PERSON),
        (sharing(OBJECTS), BY_OBJECT),
        (either(sharing(OBJECTS), sharing(PEOPLE)), BY_OBJECT | BY_PERSON),
        (common(sharing(OBJECTS), sharing(PEOPLE)), BY_OBJECT & BY_PERSON),
    ],
)
def test_variance_and_degrees_are_those_of_the_matrix_of_all_pairs(dependence, shares):
    assert dependence.product(RESIDUALS) == pytest.approx(RESIDUALS @ shares @ RESIDUALS)
    assert dependence.neighbours(ONES).tolist() == shares.sum(axis=1).tolist()
    centre = np.eye(70) - 1 / 70
    inner = centre @ shares @ centre
    found = spread(RESIDUALS, ONES, dependence)
    assert found.degrees == pytest.approx(np.trace(inner) ** 2 / np.trace(inner @ inner))
    own = RESIDUALS @ shares @ RESIDUALS / 70 / np.trace(inner)
    assert found.variance >= own - 1e-12
    assert found.variance == pytest.approx(own) or dependence.within


def test_a_pair_of_an_object_with_itself_is_a_cluster():
    assert spread(RESIDUALS, ONES, sharing(PEOPLE)) == spread(RESIDUALS, ONES, sharing(np.stack([PEOPLE, PEOPLE], 1)))


def test_sums_of_clusters_give_what_their_observations_give():
    groups = np.repeat(np.arange(10), 7)
    summed = spread(np.bincount(groups, RESIDUALS), np.full(10, 7.0))
    assert summed.variance == pytest.approx(spread(RESIDUALS, ONES, sharing(groups)).variance)
    assert summed.degrees == pytest.approx(9)


def test_one_level_alone_says_nothing():
    assert spread(RESIDUALS, ONES, sharing(np.zeros(70))).degrees == 0


def test_people_who_differ_add_variance_and_people_who_do_not_add_none():
    people, items = np.repeat(np.arange(12), 40), np.tile(np.arange(40), 12)
    skill = np.repeat(np.linspace(-1, 1, 12), 40)
    expected = (np.linspace(-1, 1, 12).var(ddof=1)) / 12
    assert added_variance(skill, people, items, 480).variance == pytest.approx(expected, rel=0.05)
    assert added_variance(np.tile(np.arange(40.0), 12), people, items, 480).variance == 0
