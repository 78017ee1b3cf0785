"""Scores an answer against the expected one, 0 to 1."""

from measures.number_answers import is_within


def exact_match(answer: str | None, expected: str | None) -> float:
    """1.0 if the answer is the expected one, ignoring case, or in the expected range; None on either side gives 0.0."""
    if answer is None or expected is None:
        return 0.0
    return float(answer.casefold() == expected.casefold() or is_within(answer, expected))
