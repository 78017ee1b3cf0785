"""A second stage based on the first: allocation, weights, and an unbiased share."""

import pytest

from bench.trials.adaptive_sampling import StudySize, bias, table
from measures.intervals import two_way, weighted_two_way
from measures.two_stage import StagedAnswer, allotted, disagreement, first_share, weights_of


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
    plain, weighted = two_way(values, people, items), weighted_two_way(values, [0.3] * 8, people, items)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
    assert weighted_two_way([], [], [], []).high == 1


def test_the_weighted_share_is_unbiased_where_the_mean_of_items_is_not():
    """A small version of `make soak PART=adaptive`."""
    found = table(120, StudySize(items=32))["few hard"]
    (mean, error), (naive, its_error) = (
        bias(found[f"where people disagree, {how}"]) for how in ("weighted", "mean of items")
    )
    assert abs(mean) < 3 * error
    assert naive > 3 * its_error
