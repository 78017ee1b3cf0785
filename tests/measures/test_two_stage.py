"""A second stage based on the first: allocation, weights, and an unbiased share."""

import random
from collections import Counter
from math import sqrt
from statistics import fmean, stdev

import pytest

from measures.estimate import figure_of_answers
from measures.shares.two_stage import StagedAnswer, allotted, disagreement, first_share, weights_of


@pytest.mark.parametrize(
    ("total", "sizes"), [(3, {"split": 1, "alike": 1, "torn": 1}), (5, {"split": 2, "alike": 1, "torn": 2}), (9, None)]
)
def test_answers_go_where_people_disagree_and_everywhere_once(total, sizes):
    found = allotted({"split": 0.45, "alike": 0.06, "torn": 0.5}, total)
    assert sum(found.values()) == total
    assert min(found.values()) == 1
    assert found["torn"] >= found["split"] >= found["alike"]
    assert sizes in (None, found)


def test_too_few_answers_are_refused():
    with pytest.raises(ValueError, match="1 answers are too few for 2 items"):
        allotted({"one": 0.5, "other": 0.5}, 1)


def test_disagreement_grows_with_disagreement_and_is_never_none():
    alike, two_of_three, even = disagreement([3], 2), disagreement([2, 1], 2), disagreement([2, 2], 2)
    assert 0 < alike < two_of_three < even == 0.5
    assert disagreement([], 2) == 0.5


def test_each_stage_has_its_share_of_an_items_weight():
    answers = [
        *[StagedAnswer(1, False)] * 3,
        *[StagedAnswer(1, True)] * 4,
        StagedAnswer(2, False),
        StagedAnswer(3, True),
    ]
    weights = weights_of(answers, dict.fromkeys((1, 2, 3), first_share(3, 2)))
    assert weights == pytest.approx([0.2] * 3 + [0.1] * 4 + [1.0, 1.0])


def test_equal_weights_give_the_unweighted_interval():
    values, people, items = [1, 0, 1, 1, 0, 1, 1, 1], [1, 1, 2, 2, 3, 3, 4, 4], [1, 2, 1, 2, 3, 4, 3, 4]
    plain = figure_of_answers(values, people, items)
    weighted = figure_of_answers(values, people, items, weights=[0.3] * 8)
    assert (weighted.interval.low, weighted.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))
    assert figure_of_answers([], [], []).interval.high == 1


ITEMS, SHEET, FIRST, SECOND, SIDE = 32, 16, 3, 2, 0.05  # SIDE: how far a person is from the items' shares


def answers_to(rng, shares, wanted, *, is_second):
    """(item, was right) for so many answers to each item, on sheets of different people; nobody gets an item twice."""
    sheets = [[] for _ in range(max(max(wanted), -(-sum(wanted) // SHEET)))]
    for item in rng.sample(range(ITEMS), ITEMS):
        for sheet in sorted(sheets, key=lambda items: (len(items), rng.random()))[: wanted[item]]:
            sheet.append(item)
    for sheet in sheets:
        side = rng.choice((-SIDE, SIDE))
        yield from ((StagedAnswer(item, is_second), rng.random() < shares[item] + side) for item in sheet)


def errors_of(rng):
    """The errors, in points, of a study's weighted share and of the mean of its items: few items are hard."""
    shares = [min(1 - SIDE, max(SIDE, rng.betavariate(6.0, 0.7))) for _ in range(ITEMS)]
    first = [*answers_to(rng, shares, [FIRST] * ITEMS, is_second=False)]
    right = Counter(answer.item for answer, is_right in first if is_right)
    differ = {str(item): disagreement((right[item], FIRST - right[item]), 2) for item in range(ITEMS)}
    sizes = allotted(differ, SECOND * ITEMS)
    found = [*first, *answers_to(rng, shares, [sizes[str(item)] for item in range(ITEMS)], is_second=True)]
    for first_shares, are_staged in ((first_share(FIRST, SECOND), True), (1.0, False)):
        staged = [StagedAnswer(one.item, are_staged and one.is_second) for one, _ in found]
        weights = weights_of(staged, dict.fromkeys(range(ITEMS), first_shares))
        yield 100 * (fmean([is_right for _, is_right in found], weights) - fmean(shares))


def test_the_weighted_share_is_unbiased_where_the_mean_of_items_is_not():
    rng = random.Random(1)
    weighted, naive = zip(*(errors_of(rng) for _ in range(120)), strict=True)
    assert abs(fmean(weighted)) < 3 * stdev(weighted) / sqrt(120)
    assert fmean(naive) > 3 * stdev(naive) / sqrt(120)
