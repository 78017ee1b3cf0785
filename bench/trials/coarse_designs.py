"""The possible coverages of an interval when few items leave few possible scores; enumerated, not simulated.

Part of `python -m bench.trials.interval_coverage`. The ends of an interval rise with the score, so the counts whose
intervals hold the truth are consecutive. With n items only the probabilities of such runs of counts are possible.
"""

from scipy.stats import binom

LEVEL = 0.95
ITEMS = 40
MAJORITIES = (0.987, 0.975)
GAP = 0.03  # between a row that is always right and one that errs on this share
SECOND = [number / 2000 for number in range(201)]  # 0 to 10 %: how often the second is right if the first errs
TEXT = """
## Designs that are too coarse

Of {n} items few scores are likely near 100 %. The ends of an interval rise with the score, so the counts whose
intervals hold the truth follow each other, and only the chances of such runs of counts can be reached. The table has
{n} independent items (`bench.trials.coarse_designs`, enumerated); people as samples blur it a little.

{table}

100 against 97 % on {n} clips: an interval that holds it in {narrow:.1f} % leaves 3 % out wherever {pairs} pairs or
more are won by the first and none by the second. Where the second does win, on {at:.1f} %, that alone errs in
{errs:.1f} %: it holds {most:.1f} % there, less what its other end errs. One that leaves 3 % out from {more} pairs on
holds {wide:.1f} %; between the two there is none.
"""


def reachable(n: int, share: float) -> list[float]:
    """The probabilities of all runs of counts of n items, each right with this probability, in ascending order."""
    below = [0.0, *(float(binom.cdf(count, n, share)) for count in range(n + 1))]
    return sorted(below[last] - below[first] for last in range(1, n + 2) for first in range(last))


def nearest(n: int, share: float) -> tuple[float, float]:
    """The reachable coverages next to 95 %, below and above."""
    found = reachable(n, share)
    return max(one for one in found if one <= LEVEL), min(one for one in found if one > LEVEL)


def all_won(pairs: int, first: float, second: float, n: int = ITEMS) -> float:
    """The probability that the first wins so many of n pairs or more and the second none, from each one's per pair."""
    return float((1 - second) ** n * binom.sf(pairs - 1, n, first / (1 - second)))


def most_errors(pairs: int) -> tuple[float, float]:
    """The largest error rate of an interval that excludes GAP there, and how often the second then wins."""
    return max((all_won(pairs, second + GAP, second), second) for second in SECOND)


def section() -> str:
    lines = ["| majority right | nearest coverage below 95 % | above |", "|---|---|---|"]
    for share in MAJORITIES:
        lines.append(f"| {100 * share:.1f} % | {' | '.join(f'{100 * one:.1f} %' for one in nearest(ITEMS, share))} |")
    pairs = next(count for count in range(ITEMS) if all_won(count, GAP, 0.0) <= 0.07)
    errs, at = most_errors(pairs)
    narrow, wide = (100 * (1 - all_won(count, GAP, 0.0)) for count in (pairs, pairs + 1))
    figures = {"narrow": narrow, "wide": wide, "pairs": pairs, "more": pairs + 1, "at": 100 * at}
    figures |= {"errs": 100 * errs, "most": 100 * (1 - errs)}
    return TEXT.format(n=ITEMS, table="\n".join(lines), **figures)
