"""Two stages of answers to the same items, where the sizes of the second depend on what the first said.

The mean of all answers to an item is biased then: where the first answers agree by chance, they stay nearly alone, and
where they don't, others correct them (Bowden & Trippa 2017, Statistical Methods in Medical Research 26, on adaptive
trials). The mean of each stage by itself is not, since the first knows no sizes and the second follows them. So each
stage gets a share of the weight that was fixed before any answer, and every item has both stages.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace

UNSEEN = 0.1  # answers added to each option, so that three who agree are not taken for everybody


@dataclass(frozen=True)
class StagedAnswer:
    """An answer's item, and whether it is of the second stage."""

    item: int
    is_second: bool


def disagreement(counts: Iterable[int], options: int) -> float:
    """The chance that two answers to an item differ, from the counts of its answers so far."""
    known = [count + UNSEEN for count in counts]
    known += [UNSEEN] * max(0, options - len(known))
    total = sum(known)
    return 1 - sum((count / total) ** 2 for count in known)


def allotted(differ: Mapping[str, float], total: int) -> dict[str, int]:
    """How many of `total` answers each item gets: one at least, and more the more its answers differ.

    Each next answer goes where it lowers the variance of the mean over items most (Neyman 1934, Journal of the Royal
    Statistical Society 97); of equals to the first named.
    """
    if total < len(differ):
        raise ValueError(f"{total} answers are too few for {len(differ)} items")
    found = dict.fromkeys(differ, 1)
    gains = [(-chance / 2, place, item) for place, (item, chance) in enumerate(differ.items())]
    heapify(gains)
    for _ in range(total - len(found)):
        _, place, item = gains[0]
        found[item] += 1
        heapreplace(gains, (-differ[item] / (found[item] * (found[item] + 1)), place, item))
    return found


def first_share(first: int, second: float) -> float:
    """The first stage's share of the weight, from the answers an item that were wanted of both, fixed before any."""
    return first / (first + second)


def weights_of(answers: Sequence[StagedAnswer], shares: Mapping[int, float]) -> list[float]:
    """The weight of each answer; those of one item sum to 1. `shares` of the first stage, by item.

    An item with answers of one stage alone has their mean.
    """
    counts = Counter(answers)
    found = []
    for one in answers:
        share = 1 - shares[one.item] if one.is_second else shares[one.item]
        is_alone = not counts[StagedAnswer(one.item, not one.is_second)]
        found.append((1.0 if is_alone else share) / counts[one])
    return found
