import krippendorff
import numpy as np
import pytest

from measures.scores.scoring import majority, majority_score
from measures.shares.agreement import interval_alpha, krippendorff_alpha


@pytest.mark.parametrize(
    ("answers", "answer", "is_tie"),
    [
        (["yes", "yes", "no"], "yes", False),
        (["yes", "no"], None, True),
        (["no"], "no", False),
        ([], None, False),
        (["a", "a", "b", "b", "c"], None, True),
    ],
)
def test_majority_is_the_most_frequent_answer_and_ties_stay_ties(answers, answer, is_tie):
    result = majority(answers)
    assert (result.answer, result.is_tie) == (answer, is_tie)
    assert sum(result.counts.values()) == len(answers)


def counts_of(answers):
    return [{answer: column.count(answer) for answer in set(column)} for column in answers]


@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_the_reference_implementations(seed):
    rng = np.random.default_rng(seed)
    items = [[str(answer) for answer in rng.choice(3, rng.integers(1, 5))] for _ in range(30)]
    values = sorted({answer for column in items for answer in column})
    table = np.array([[column.count(value) for value in values] for column in items])
    expected = krippendorff.alpha(value_counts=table, level_of_measurement="nominal")
    assert krippendorff_alpha(counts_of(items)) == pytest.approx(expected)


def test_alpha_of_agreement_and_of_nothing_to_agree_on():
    assert krippendorff_alpha([{"yes": 3}, {"no": 3}]) == 1
    assert krippendorff_alpha([{"yes": 3}, {"yes": 3}]) is None
    assert krippendorff_alpha([{"yes": 1}, {"no": 1}]) is None
    assert krippendorff_alpha([]) is None


@pytest.mark.parametrize("seed", range(4))
def test_alpha_of_numbers_is_the_reference_implementations(seed):
    rng = np.random.default_rng(seed)
    items = [rng.integers(0, 6, 3).astype(float) for _ in range(20)]
    expected = krippendorff.alpha(np.array(items).T, level_of_measurement="interval")
    assert interval_alpha([list(values) for values in items]) == pytest.approx(expected)
    assert interval_alpha([[1.0, 1.0], [0.0, 0.0], [0.5]]) == 1
    assert interval_alpha([[0.6, 0.6, 0.6]]) is None
    assert interval_alpha([]) is None


@pytest.mark.parametrize(
    ("counts", "expected", "score"),
    [
        ({"yes": 2, "no": 1}, "yes", 1.0),
        ({"yes": 2, "no": 1}, "no", 0.0),
        ({"yes": 2, "no": 2}, "yes", 0.5),
        ({"a": 1, "b": 1, "c": 1}, "a", 1 / 3),
        ({"a": 2, "b": 2, "c": 1}, "c", 0.0),
        ({"yes": 1}, "yes", 1.0),
        ({}, "yes", 0.0),
    ],
)
def test_a_tie_shares_the_point(counts, expected, score):
    assert majority_score(counts, expected) == score
