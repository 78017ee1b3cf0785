"""Score intervals of paired differences: Tango's from the likelihood, and the failures of a t interval."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from measures.comparing.paired import PeopleParts, discordance, tango, with_people
from measures.figures import Interval
from measures.shares.crossed import Spread, added_variance
from tools.bench.trials.interval_coverage import panels_of


def pairs(first: int, second: int, n: int) -> list[float]:
    return [1.0] * first + [-1.0] * second + [0.0] * (n - first - second)


@pytest.mark.parametrize(("first", "second", "n"), [(9, 1, 32), (14, 0, 44), (3, 8, 25), (1, 0, 40)])
def test_at_its_ends_the_score_under_the_likeliest_nuisance_is_the_quantile(first, second, n):
    found = tango(first, second, n)
    for difference in (found.low, found.high):
        bounds = (max(0.0, -difference) + 1e-12, (1 - difference) / 2 - 1e-12)

        def unlikely(other, difference=difference):
            return -(
                first * np.log(other + difference)
                + second * np.log(other)
                + (n - first - second) * np.log(1 - 2 * other - difference)
            )

        other = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        score = (first - second - n * difference) / np.sqrt(n * (2 * other + difference - difference**2))
        assert abs(score) == pytest.approx(norm.ppf(0.975), abs=2e-3)


def test_without_discordant_pairs_it_has_the_width_of_none_and_one_cluster_says_nothing():
    z = norm.ppf(0.975) ** 2
    assert tango(0, 0, 30).high == pytest.approx(z / (30 + z))
    assert tango(0, 0, 30).low == pytest.approx(-z / (30 + z))
    assert discordance(pairs(0, 0, 30), range(30)).interval().high > 0.1
    assert discordance([1.0, 0.0], [1, 1]).interval() == Interval(-1, 1)
    assert discordance([1.0, 0.0], [1, 1]).p() == 1


def test_one_more_discordant_pair_moves_no_end_back():
    found = [discordance(pairs(first, 0, 30), range(30)).interval() for first in range(31)]
    assert [one.low for one in found] == sorted(one.low for one in found)
    assert [one.high for one in found] == sorted(one.high for one in found)
    assert all(-1 <= one.low <= first / 30 <= one.high <= 1 for first, one in enumerate(found))


def test_no_difference_has_no_further_ends_than_some_in_the_same_clusters():
    nothing, *some = [discordance(pairs(first, 0, 30), np.arange(30) // 3).interval() for first in range(8)]
    assert max(one.low for one in some) > nothing.low
    assert min(one.high for one in some) >= nothing.high


def test_sides_swap_and_the_test_agrees_with_its_interval():
    one, other = discordance(pairs(7, 2, 40), range(40)).interval(), discordance(pairs(2, 7, 40), range(40)).interval()
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    for first in range(2, 13):
        found = discordance(pairs(first, 2, 40), [number // 2 for number in range(40)])
        assert (found.p() < 0.05) == (not found.interval().low <= 0 <= found.interval().high)


def test_people_widen_the_interval_and_raise_p():
    rng = np.random.default_rng(7)
    people, items = np.repeat(np.arange(6), 40), np.tile(np.arange(40), 6)
    right = (rng.random(240) < np.repeat(np.linspace(0.4, 1, 6), 40)).astype(float)
    differences = np.bincount(items, right) / 6 - (rng.random(40) < 0.4)
    alone = discordance(differences, range(40))
    both = discordance(differences, range(40), PeopleParts(right / 6, people, items))
    assert both.interval().high - both.interval().low > 1.2 * (alone.interval().high - alone.interval().low)
    assert both.p() > alone.p()


def parts(*, score=None, are_second=False):
    """Six people, one of them wrong on half of forty items, and a model that is right on 34."""
    people, items = np.repeat(np.arange(6), 40), np.tile(np.arange(40), 6)
    right = np.ones(240)
    right[:40:2] = 0
    differences = np.bincount(items, right) / 6 - (np.arange(40) < 34)
    sign = -1 if are_second else 1
    return sign * differences, PeopleParts(sign * right / 6, people, items, score, are_second)


def test_people_reach_further_to_where_they_would_be_nearer_to_one_half():
    differences, people = parts()
    seen = discordance(differences, range(40), people)
    scored = discordance(differences, range(40), replace(people, score=11 / 12))
    assert scored.interval().high == pytest.approx(seen.interval().high, abs=1e-9)
    assert scored.interval().low < seen.interval().low - 0.005
    assert scored.p() > seen.p()
    part = scored.people
    assert part.share == pytest.approx(1 - scored.number / discordance(differences, range(40)).number)
    assert part.widening(-5 / 12) == pytest.approx((1 - part.share + part.share * 0.25 / (11 / 144)) ** 0.5)
    assert part.widening(0.05) == 1


def test_the_two_may_change_places():
    ends = discordance(parts()[0], range(40), replace(parts()[1], score=11 / 12)).interval()
    differences, people = parts(score=11 / 12, are_second=True)
    turned = discordance(differences, range(40), people)
    assert (turned.interval().low, turned.interval().high) == pytest.approx((-ends.high, -ends.low))


@pytest.mark.parametrize("score", [None, 0.0, 1.0])
def test_without_a_score_that_can_move_people_are_taken_as_seen(score):
    differences, people = parts()
    assert discordance(differences, range(40), replace(people, score=score)).people is None


def test_two_panels_are_two_samples_of_people():
    rng = np.random.default_rng(2)
    shares, people, items = rng.normal(size=80), np.repeat(np.arange(10), 8), np.tile(np.arange(8), 10)
    both = PeopleParts(shares, people, items, sides=people // 5).added(8)
    first, second = (added_variance(shares[own], people[own], items[own], 8) for own in (people < 5, people >= 5))
    assert both.variance == pytest.approx(first.variance + second.variance)
    assert both.degrees == pytest.approx(8), "four and four"
    assert PeopleParts(shares, people, items, sides=people // 5).panel == 9


def test_equal_panels_of_five_people_are_told_apart_in_few_studies():
    """3 to 5 % in 600 studies; 6 to 9 % where the ten are one sample."""
    world, rng, rejected = panels_of(5, 36, 5, 0.65), np.random.default_rng(3), 0
    for _ in range(150):
        rejected += not world.draw(rng)[0].holds(0.0)
    assert rejected <= 10


@pytest.mark.parametrize(("people", "is_between"), [(7, False), (8, True), (40, True)])
def test_degrees_of_freedom_lie_between_those_of_the_fewer_and_of_the_sum(people, is_between):
    """Those of the fewer reject too rarely, those of the sum too often; few people have those of the fewer."""
    rng = np.random.default_rng(people)
    person, item = np.repeat(np.arange(people), 12), np.tile(np.arange(96), people)[: 12 * people]
    shares = 0.1 * rng.normal(size=people)[person] + 0.1 * rng.normal(size=len(person))
    parts = PeopleParts(shares, person, item)
    items, added = Spread(0.004, 95.0, 96.0), parts.added(96)
    assert added.variance > 0
    found = with_people(items, parts, 96).degrees
    fewer, of_sum = people - 1, (0.004 + added.variance) ** 2 / (0.004**2 / 95 + added.alone**2 / added.degrees)
    assert (fewer + 1e-6 < found < of_sum) == is_between
    assert is_between or found == pytest.approx(fewer)
