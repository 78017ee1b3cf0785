"""No cell of a table runs as a formula, and every spreadsheet accepts the table."""

from measures.spreadsheet_cells import defused


def test_no_cell_runs_as_a_formula_and_other_values_stay_as_they_are():
    formulas = ("=cmd()", "=1+1", "+1", "-1", "@x", "\tx", "\rx")
    assert [defused(text) for text in formulas] == [f"'{text}" for text in formulas]
    others = [-1.5, 0, None, "a=b", "yes", 3, "1.3/96.9"]
    assert [defused(value) for value in others] == others
    assert defused("a\x00b\x1fc\td\n") == "a b c\td\n"  # what no spreadsheet takes is left out
