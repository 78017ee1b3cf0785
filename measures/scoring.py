"""Answer and expected answer in, a score between 0 and 1 out."""


def exact_match(answer: str | None, expected: str | None) -> float:
    """1.0 when the answer is the expected one; an unread answer, or one that nothing is expected of, scores 0.0."""
    return float(answer is not None and expected is not None and answer.casefold() == expected.casefold())
