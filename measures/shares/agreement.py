"""Agreement between several answers to one question, and between two orders of the same things."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt


def krippendorff_alpha(units: Iterable[Mapping[str, int]]) -> float | None:
    """Agreement on unordered answers beyond chance: 1 is perfect, 0 is chance, below 0 is systematic disagreement.

    `units` holds the count of each answer for each item; items with a single answer are left out, as the method
    demands. alpha = 1 - observed / expected disagreement over the pairable answers (Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability", nominal data). None if fewer than two different answers were given: there is no
    variation to measure agreement against.
    """
    pairable = [counts for counts in units if sum(counts.values()) >= 2]
    totals: Counter[str] = Counter()
    observed = 0.0
    for counts in pairable:
        n = sum(counts.values())
        totals.update(counts)
        observed += (n**2 - sum(count**2 for count in counts.values())) / (n - 1)
    n = totals.total()
    expected = n**2 - sum(count**2 for count in totals.values())
    return 1 - (n - 1) * observed / expected if expected else None


def interval_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for numbers, whose disagreement is their squared distance (Krippendorff 2011, interval
    data).

    `units` are the numbers given to each item; items with a single number are left out. None if all numbers are equal.
    """
    pairable = [list(values) for values in units if len(values) >= 2]
    every = [value for values in pairable for value in values]
    if len(set(every)) < 2:
        return None
    observed = sum(_squares(values) / (len(values) - 1) for values in pairable)
    return 1 - (len(every) - 1) * observed / _squares(every)


def _squares(values: Sequence[float]) -> float:
    """The sum of squared distances over all ordered pairs, in one pass: 2 (n · sum of squares - square of the sum)."""
    middle = sum(values) / len(values)  # centring avoids losing digits of large numbers
    return 2 * len(values) * sum((value - middle) ** 2 for value in values)


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho: Pearson's correlation of the ranks, ties sharing the mean of their places (Spearman 1904).

    None if either is all ties, or for fewer than two things. Raises ValueError if the lengths differ.
    """
    pairs = list(zip(_ranks(first), _ranks(second), strict=True))
    middle = (len(pairs) + 1) / 2
    products = sum((one - middle) * (other - middle) for one, other in pairs)
    spreads = [sum((rank - middle) ** 2 for rank in ranks) for ranks in zip(*pairs, strict=True)]
    return products / sqrt(spreads[0] * spreads[1]) if spreads and min(spreads) > 0 else None


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    means = {value: sum(found) / len(found) for value, found in places.items()}
    return [means[value] for value in values]
