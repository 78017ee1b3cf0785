"""The figures of one difference agree: p rejects 0 just where the interval leaves it out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import binom

from measures.comparing.error_consistency import error_consistency, error_consistency_interval
from measures.estimate import Voter
from measures.estimate.differences import MCNEMAR, SCORE, PairedScores, consistency, difference

SHARE = some.sampled_from([0.0, 1.0])


def scores_of(rows):
    return [PairedScores((clip, clip), first, second) for clip, first, second in rows]


@given(some.lists(some.tuples(some.integers(0, 12), SHARE, SHARE), min_size=1, max_size=30))
def test_p_and_interval_of_a_difference_agree(rows):
    found = difference(scores_of(rows))
    assert (found.p < 0.05) == (not found.interval.holds(0.0))


@given(some.integers(0, 20), some.integers(0, 20), some.integers(0, 20))
def test_they_agree_where_each_clip_is_asked_about_once(first, second, alike):
    answers = [(1.0, 0.0)] * first + [(0.0, 1.0)] * second + [(1.0, 1.0)] * (alike + 1)
    found = difference(scores_of((clip, *pair) for clip, pair in enumerate(answers)))
    assert (found.p < 0.05) == (not found.interval.holds(0.0))


@pytest.mark.parametrize(("won", "alike", "test"), [(6, 2, SCORE), (8, 2, MCNEMAR), (4, 0, MCNEMAR)])
def test_where_the_interval_is_the_more_careful_the_score_test_is_named(won, alike, test):
    answers = [(1.0, 0.0)] * won + [(1.0, 1.0)] * alike
    found = difference(scores_of((clip, *pair) for clip, pair in enumerate(answers)))
    assert (found.test, found.p < 0.05) == (test, won == 8)


@pytest.mark.parametrize(("clips", "apart"), [(48, 0.3), (98, 0.5)])
def test_the_detectable_difference_is_detected_as_often_as_it_says(clips, apart):
    """Exact, over all numbers of clips on which the two differ and their sides: 80 to 84 %."""

    def of(won, lost):
        answers = [(1.0, 0.0)] * won + [(0.0, 1.0)] * lost + [(1.0, 1.0)] * (clips - won - lost)
        return difference(scores_of((clip, *pair) for clip, pair in enumerate(answers)))

    seen = round(apart * clips)
    detectable = of(seen - seen // 2, seen // 2).detectable
    towards = (apart + detectable) / (2 * apart)
    cases = ((n, won) for n in range(clips + 1) for won in range(n + 1))
    sides = {(n, won): binom.pmf(n, clips, apart) * binom.pmf(won, n, towards) for n, won in cases}
    power = sum(chance for (n, won), chance in sides.items() if chance > 1e-5 and of(won, n - won).p < 0.05)
    assert 0.79 <= power <= 0.85


def test_a_mean_of_seeds_is_right_above_one_half():
    rows = [(0.6, 1.0), (0.5, 0.75), (1.0, 0.5), (0.0, 0.25)] * 6
    found = consistency(scores_of((clip, *row) for clip, row in enumerate(rows)))
    first, second = [True, False, True, False] * 6, [True, True, False, False] * 6
    assert replace(found, interval=None) == error_consistency(first, second)
    assert found.interval == error_consistency_interval(first, second, range(24))


def test_the_same_people_on_both_sides_are_one_sample():
    """A person's own level cancels: it raises both scores alike."""
    rng = np.random.default_rng(4)
    skill = rng.random(6) < 0.5

    def voters(name, item):
        return tuple(Voter(f"{name}{who}", float(skill[who] or (item + who) % 3 == 0), 1 / 6) for who in range(6))

    def between(name):
        sides = [(voters("a", item), voters(name, item + 1)) for item in range(30)]
        scores = ([sum(voter.right for voter in side) / 6 for side in both] for both in sides)
        return difference([PairedScores((at, at), *of, *sides[at]) for at, of in enumerate(scores)]).interval

    same, others = between("a"), between("b")
    assert same.high - same.low < 0.8 * (others.high - others.low)


@pytest.mark.parametrize(
    ("people", "clips", "words"),
    [(1, 64, "fewer than 8 people"), (7, 64, "fewer than 8 people"), (8, 64, ""), (8, 63, "few clips"), (0, 64, "")],
)
def test_a_difference_of_few_people_or_on_few_clips_says_so(people, clips, words):
    voters = [(Voter(f"{clip % people}", 1.0, 1.0),) if people else () for clip in range(clips)]
    found = difference([PairedScores((clip, clip), 1.0, clip % 2, voters[clip]) for clip in range(clips)])
    assert found.people == people
    assert found.caution.startswith(words) if words else not found.caution
