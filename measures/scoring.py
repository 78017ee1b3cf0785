"""Scores an answer against the expected one, 0 to 1."""


def exact_match(answer: str | None, expected: str | None) -> float:
    """1.0 if the answer is the expected one, ignoring case, else 0.0; None on either side scores 0.0."""
    return float(answer is not None and expected is not None and answer.casefold() == expected.casefold())
