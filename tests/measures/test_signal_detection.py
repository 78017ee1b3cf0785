import pytest
from scipy.stats import norm

from measures.detection.signal_detection import detection


def test_a_worked_value():
    """45 of 50 signals and 10 of 50 noises are called signals; rates are corrected."""
    found = detection(45, 50, 10, 50)
    hit, alarm = norm.ppf(45.5 / 51), norm.ppf(10.5 / 51)
    assert found.d_prime == pytest.approx(hit - alarm)
    assert found.criterion == pytest.approx(-(hit + alarm) / 2)


def test_who_always_says_yes_tells_nothing_apart_and_leans_to_yes():
    found = detection(20, 20, 20, 20)
    assert found.d_prime == pytest.approx(0)
    assert found.criterion < -1


def test_perfect_answers_stay_finite():
    assert 3 < detection(20, 20, 0, 20).d_prime < 6


def test_more_answers_than_questions_can_not_be():
    with pytest.raises(ValueError, match="can't be"):
        detection(5, 4, 0, 4)


@pytest.mark.parametrize(("positives", "negatives"), [(0, 5), (5, 0)])
def test_one_kind_of_item_alone_says_nothing(positives, negatives):
    assert detection(0, positives, 0, negatives) is None
