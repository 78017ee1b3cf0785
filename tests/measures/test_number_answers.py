"""Numbers that people type: digits of every script, a decimal point or comma; what could be two numbers is none."""

import re

from measures.scores.number_answers import is_within, plain_digits, range_of, typed_number

READ = {
    "2,5": "2.5",
    "1,50": "1.5",
    "-4": "-4",
    "−4": "-4",
    "0,125": "0.125",
    "3.142": "3.142",
    " 12 ": "12",
    "١٢": "12",
    "٢٫٥": "2.5",
    "٣،٥": "3.5",
    "۱۲٫۵": "12.5",
    "７": "7",
    "－１．５": "-1.5",
    "१२": "12",
    "\u200f١٢\u200e": "12",
}


def test_a_number_is_read_in_every_script_and_what_could_be_two_numbers_or_none_is_not():
    assert {typed: typed_number(typed) for typed in READ} == READ
    unclear = ("", "1.234,5", "1,234.5", "1,234", "12,345", "1,234,567", "1 234", "1٬234", "5²", "½", "2,5,1", ",", "x")
    assert {typed: typed_number(typed) for typed in unclear} == dict.fromkeys(unclear)


def test_a_range_holds_both_of_its_ends():
    ranges = {"2.5 .. 3.10": "2.5..3.1", "3..3": "3..3", "-4": "-4", "-0": "0", "3..2": None, "2..": None, "two": None}
    assert {told: range_of(told) for told in ranges} == ranges
    answers = {"2.4": False, "2.5": True, "3": True, "3.1": True, "3.2": False, "two": False}
    assert {answer: is_within(answer, "2.5..3.1") for answer in answers} == answers
    assert not is_within("2", "2")


def test_digits_of_a_row_stay_a_row():
    assert plain_digits("٤٩٨") == "498"
    assert plain_digits("０0٠") == "000"
    assert re.fullmatch("[0-9]+", plain_digits("۰๙"))
