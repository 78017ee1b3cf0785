"""The page of families says what the tiny builds take and what the library declares."""

from tests.evaluation import families_table


def test_the_page_of_families_is_as_found_out_now():
    assert families_table.PAGE.read_text(encoding="utf-8") == "".join(families_table.page())


def test_every_family_that_cannot_be_asked_is_one_of_the_library():
    assert set(families_table.UNASKABLE) <= set(families_table.declared())
