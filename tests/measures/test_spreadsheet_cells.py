"""No cell of a table runs as a formula, and every spreadsheet accepts the table."""

import pytest

from measures.spreadsheet_cells import defused


@pytest.mark.parametrize("text", ["=cmd()", "=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_runs_as_a_formula(text):
    assert defused(text) == "'" + text


@pytest.mark.parametrize("value", [-1.5, 0, None, "a=b", "yes", 3, "1.3/96.9"])
def test_other_values_stay_as_they_are(value):
    assert defused(value) == value


def test_what_no_spreadsheet_takes_is_left_out():
    assert defused("a\x00b\x1fc\td\n") == "a b c\td\n"
