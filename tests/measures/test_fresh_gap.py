"""A memoriser is flagged, an honest answerer in at most one of twenty rounds."""

import os
from dataclasses import replace

import numpy as np
import pytest

from measures.comparing.fresh_gap import ScoredItems, fresh_gap

TESTS, CLIPS, QUESTIONS = 8, 12, 2


def scored(rng, skill, clips_a_test=CLIPS, questions=QUESTIONS):
    """Questions per clip that share its difficulty; tests differ in difficulty."""
    count = TESTS * clips_a_test
    tests, clips = np.repeat(np.arange(TESTS), clips_a_test * questions), np.repeat(np.arange(count), questions)
    share = np.clip(skill + np.linspace(-0.2, 0.2, TESTS)[tests] + rng.normal(0, 0.2, count)[clips], 0, 1)
    return ScoredItems((rng.random(len(clips)) < share).astype(float), tests.astype(str), clips)


def test_a_memoriser_is_flagged():
    rng = np.random.default_rng(1)
    found = fresh_gap(scored(rng, 2.0), scored(rng, 0.5))
    assert found.public == 1.0
    assert found.interval.low > 0.35
    assert found.p < 1e-6


def test_honest_models_are_flagged_in_one_of_twenty_rounds():
    """5.0 % of 20,000 (`make soak PART=rounds`), and 95.3 % of the intervals hold 0."""
    rounds = int(os.environ.get("FRESH_ROUNDS", "400"))
    rng = np.random.default_rng(2)
    found = [fresh_gap(scored(rng, skill), scored(rng, skill)) for skill in rng.choice([0.5, 0.7, 0.9], rounds)]
    wrong = np.mean([one.p < 0.05 for one in found])
    held = np.mean([one.interval.low <= 0 <= one.interval.high for one in found])
    print(f"flagged {wrong:.1%}, interval holds {held:.1%} of {rounds}")
    assert wrong < 0.05 + 2.5 * (0.05 * 0.95 / rounds) ** 0.5
    assert held > 0.95 - 2.5 * (0.05 * 0.95 / rounds) ** 0.5


def test_without_shared_parts_nothing_is_said():
    one = ScoredItems(np.ones(4), np.array(["a"] * 4), np.arange(4))
    assert fresh_gap(one, ScoredItems(np.ones(4), np.array(["b"] * 4), np.arange(4))) is None


def test_fewer_than_twelve_clips_on_a_side_are_refused():
    rng = np.random.default_rng(1)
    sides = {clips: ScoredItems(rng.random(clips), np.array(["a"] * clips), np.arange(clips)) for clips in (11, 12)}
    assert fresh_gap(sides[12], sides[12]) is not None
    assert fresh_gap(sides[12], sides[11]) is None
    assert fresh_gap(sides[11], sides[12]) is None
    alone = replace(sides[12], parts=np.arange(12).astype(str))  # a part of one clip each says nothing of its spread
    assert fresh_gap(alone, alone) is None


@pytest.mark.parametrize("same", [0.0, 1.0])
def test_answers_that_never_vary_have_no_gap(same):
    one = ScoredItems(np.full(20, same), np.array(["a"] * 20), np.arange(20))
    found = fresh_gap(one, one)
    assert (found.gap, found.p) == (0.0, pytest.approx(0.5))


@pytest.mark.parametrize("clips", [2, 3])
def test_few_fresh_clips_that_are_all_right_are_not_sure(clips):
    """93.7 and 94.9 % in 1,500 rounds; 91.5 and 92.3 % with a variance of just what was seen."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(600):
        found = fresh_gap(scored(rng, 0.9, questions=1), scored(rng, 0.9, clips, questions=1))
        held += found.interval.holds(0.0)
    assert held >= 0.925 * 600
