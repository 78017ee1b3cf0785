import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr

from measures.scores.scoring import Majority, exact_match, majority, majority_score
from measures.shares.agreement import interval_alpha, krippendorff_alpha, rank_correlation


def test_majority_is_the_most_frequent_answer_and_a_tie_shares_the_point():
    for answers, answer, is_tie in (("yyn", "y", False), ("yn", None, True), ("n", "n", False), ("aabbc", None, True)):
        found = majority(answers)
        assert (found.answer, found.is_tie, sum(found.counts.values())) == (answer, is_tie, len(answers))
    assert majority([]) == Majority(None, is_tie=False)
    for answers, expected, score in (("yyn", "y", 1.0), ("yyn", "n", 0.0), ("yynn", "y", 0.5), ("abc", "a", 1 / 3)):
        assert majority_score(majority(answers).counts, expected) == score
    assert majority_score({}, "y") == majority_score({"a": 2, "b": 2, "c": 1}, "c") == 0.0


def test_only_the_expected_answer_scores():
    pairs = (("yes", "yes"), ("Yes", "yes"), ("no", "yes"), (None, "yes"), ("yes", None))
    assert [exact_match(*pair) for pair in pairs] == [1.0, 1.0, 0.0, 0.0, 0.0]


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
    assert krippendorff_alpha([{"yes": 3}, {"no": 3}]) == 1
    for nothing in ([{"yes": 3}, {"yes": 3}], [{"yes": 1}, {"no": 1}], []):
        assert krippendorff_alpha(nothing) is None


@pytest.mark.parametrize("seed", range(4))
def test_alpha_of_numbers_is_the_reference_implementations(seed):
    rng = np.random.default_rng(seed)
    items = [rng.integers(0, 6, 3).astype(float) for _ in range(20)]
    expected = krippendorff.alpha(np.array(items).T, level_of_measurement="interval")
    assert interval_alpha([list(values) for values in items]) == pytest.approx(expected)
    assert interval_alpha([[1.0, 1.0], [0.0, 0.0], [0.5]]) == 1
    assert interval_alpha([[0.6, 0.6, 0.6]]) is None
    assert interval_alpha([]) is None


def test_rank_correlation_is_scipys():
    rng = np.random.default_rng(7)
    for size in (2, 5, 40):
        first, second = rng.integers(0, 4, size), rng.integers(0, 4, size)
        if len(set(first)) > 1 and len(set(second)) > 1:
            assert rank_correlation(first.tolist(), second.tolist()) == pytest.approx(
                spearmanr(first, second).statistic
            )
    assert rank_correlation([1, 2, 3], [5, 6, 9]) == pytest.approx(1)
    assert rank_correlation([1, 1], [1, 2]) is None
    assert rank_correlation([], []) is None
