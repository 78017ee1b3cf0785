"""Answers that are numbers: an answer is right within the range given by the question, such as `2.5..3.1`."""

import re

NUMBER = r"[+-]?\d{1,12}(?:\.\d{1,9})?"
ALONE = re.compile(NUMBER)
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})")


def number_in(text: str) -> str | None:
    """The number in the text, in plain form: `3`, `-2.5`; None for any other text."""
    word = text.strip()
    return _plain(float(word)) if ALONE.fullmatch(word) else None


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
