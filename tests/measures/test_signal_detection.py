import pytest
from scipy.stats import norm

from measures.detection.roc import detection


def test_a_worked_value():
    """45 of 50 signals and 10 of 50 noises are called signals; rates are corrected."""
    found = detection(45, 50, 10, 50)
    hit, alarm = norm.ppf(45.5 / 51), norm.ppf(10.5 / 51)
    assert found.d_prime == pytest.approx(hit - alarm)
    assert found.criterion == pytest.approx(-(hit + alarm) / 2)
    always_yes = detection(20, 20, 20, 20)
    assert (always_yes.d_prime, always_yes.criterion < -1) == (pytest.approx(0), True)
    assert 3 < detection(20, 20, 0, 20).d_prime < 6  # finite
    assert detection(0, 0, 0, 5) is detection(0, 5, 0, 0) is None


def test_more_answers_than_questions_can_not_be():
    with pytest.raises(ValueError, match="can't be"):
        detection(5, 4, 0, 4)
