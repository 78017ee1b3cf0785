"""Answers that are numbers: an answer is right within the range given by the question, such as `2.5..3.1`."""

import re
import unicodedata

NUMBER = r"[+-]?\d{1,12}(?:\.\d{1,9})?"
ALONE = re.compile(NUMBER)
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})")
MARKS = str.maketrans({"٫": ".", "،": ",", "，": ",", "．": ".", "−": "-", "－": "-", "＋": "+"})
# What `typed_number` reads, for the `pattern` of a form's field.
TYPED = r"\s*[+\-−－＋]?(?!(?!0)\p{Nd}{1,3}[,،，]\p{Nd}{3}\s*$)\p{Nd}{1,12}(?:[.,٫،，．]\p{Nd}{1,9})?\s*"
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # 1,234 is a thousand to some and less than two to others


def number_in(text: str) -> str | None:
    """The number in the text, in plain form: `3`, `-2.5`; None for any other text."""
    word = text.strip()
    return _plain(float(word)) if ALONE.fullmatch(word) else None


def plain_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9, without blanks around it and invisible marks."""
    visible = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in visible).strip()


def typed_number(text: str) -> str | None:
    """The number that a person typed, in plain form: digits of any script, a decimal point or comma.

    None for any other text, and where a mark could separate thousands: `1,234`, `1.234,5`.
    """
    word = plain_digits(text).translate(MARKS)
    return None if THOUSANDS.fullmatch(word) else number_in(word.replace(",", "."))


def range_of(text: str) -> str | None:
    """The number or range in a question's table, in plain form; None for any other text."""
    if found := RANGE.fullmatch("".join(text.split())):
        low, high = float(found[1]), float(found[2])
        return f"{_plain(low)}..{_plain(high)}" if low <= high else None
    return number_in(text)


def is_within(answer: str, expected: str) -> bool:
    """Whether the answer is a number in the expected range; False if that is no range."""
    found = RANGE.fullmatch(expected)
    if found is None or not ALONE.fullmatch(answer):
        return False
    return float(found[1]) <= float(answer) <= float(found[2])


def _plain(value: float) -> str:
    return f"{value + 0.0:.9f}".rstrip("0").rstrip(".")  # -0 becomes 0
