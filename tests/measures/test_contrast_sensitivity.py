"""Contrast sensitivity compared with known values of the eye."""

import pytest

from measures.contrast_sensitivity import chance_to_notice, sensitivity, threshold


def test_sensitivity_has_the_shape_of_the_typical_observer():
    """Barten's curves for 100 cd/m² and a field of 10 degrees: a peak of several hundred at 3 to 5 cycles a degree."""
    curve = {frequency: sensitivity(frequency, 10.0) for frequency in (0.5, 1, 2, 3, 4, 5, 10, 20, 30, 50)}
    assert max(curve, key=curve.__getitem__) in (2, 3, 4, 5)
    assert 300 < max(curve.values()) < 800
    assert curve[0.5] < curve[1] < curve[2]
    assert curve[10] > curve[20] > curve[30] > 1 > curve[50]  # the finest visible grating


def test_what_is_small_short_dark_or_beside_needs_more_contrast():
    assert threshold(0.05) > threshold(0.1) > threshold(0.5) > threshold(2.0)
    assert threshold(0.2, seconds=0.02) > threshold(0.2, seconds=0.1) == threshold(0.2, seconds=2.0)
    assert threshold(0.2, beside=5) == pytest.approx(3 * threshold(0.2))
    assert sensitivity(4, 5, luminance=1) < sensitivity(4, 5, luminance=100)


def test_a_patch_at_its_threshold_is_noticed_as_often_as_the_function_says():
    assert chance_to_notice(threshold(0.3), 0.3, seconds=1) == pytest.approx(0.632, abs=0.001)
    assert chance_to_notice(0.0, 0.3, seconds=1) == 0
    assert chance_to_notice(0.9, 1.0, seconds=1) > 0.999
