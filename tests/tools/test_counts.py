"""No part of the project grows past its ceiling; documents, commands and variables are counted beside their tests."""

from tools.counts import LIMITS, counts


def test_each_part_is_below_its_ceiling_which_is_lowered_when_it_gets_smaller():
    wrong = {part: size for part, size in counts().items() if not 0.95 * LIMITS[part][1] <= size <= LIMITS[part][1]}
    assert wrong == {}
