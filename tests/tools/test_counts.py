"""No part of the project grows past its ceiling; documents, commands and variables are counted beside their tests."""

from tools.counts import LIMITS, counts


def test_no_part_is_larger_than_its_ceiling():
    assert {part: size for part, size in counts().items() if size > LIMITS[part][1]} == {}


def test_a_ceiling_is_lowered_when_a_part_gets_smaller():
    assert {part: size for part, size in counts().items() if size < 0.95 * LIMITS[part][1]} == {}
