"""p-values of several tests that stand side by side."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values, in the given order: rejecting those of at most α errs once or more with probability α or less.

    The i-th smallest of m is multiplied by m - i + 1, never falls below the one before and never exceeds 1 (Holm 1979,
    Scandinavian Journal of Statistics 6). It holds however the tests depend on each other. None is what was not
    tested: it stays None and does not count. Raises ValueError for what is no probability.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        if not 0 <= p <= 1:
            raise ValueError(f"{p} is no p-value")
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted
