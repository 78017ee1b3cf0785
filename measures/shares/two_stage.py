"""Two stages of answers to the same items, where the sizes of the second stage depend on the first stage's answers.

Then the mean of all answers to an item is biased. If the first answers agree by chance, they stay nearly alone; if they
don't, others correct them (Bowden & Trippa 2017, Statistical Methods in Medical Research 26, on adaptive trials). The
mean of each single stage is unbiased, since the first knows no sizes and the second follows them. So each stage gets a
share of the weight that was fixed before any answer, and every item has both stages.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace

UNSEEN = 0.1  # answers added to each option, so that three people who agree do not stand for everybody


@dataclass(frozen=True)
class StagedAnswer:
    """An answer's item, and whether it belongs to the second stage."""

    item: int
    is_second: bool


def disagreement(counts: Iterable[int], options: int) -> float:
    """The probability that two answers to an item differ, estimated from the counts of its answers so far."""
    known = [count + UNSEEN for count in counts]
    known += [UNSEEN] * max(0, options - len(known))
    total = sum(known)
    return 1 - sum((count / total) ** 2 for count in known)


def allotted(differ: Mapping[str, float], total: int) -> dict[str, int]:
    """The number of answers for each item, `total` in all: at least one, and more if its answers differ more.

    Each next answer goes where it most reduces the variance of the mean over items (Neyman 1934, Journal of the Royal
    Statistical Society 97); among equals to the first named.
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
    """The first stage's share of the weight, from the planned answers per item of both stages."""
    return first / (first + second)


def weights_of(answers: Sequence[StagedAnswer], shares: Mapping[int, float]) -> list[float]:
    """The weight of each answer; those of one item sum to 1. `shares` holds the first stage's share by item.

    An item with answers of only one stage gets their mean.
    """
    counts = Counter(answers)
    found = []
    for answer in answers:
        share = 1 - shares[answer.item] if answer.is_second else shares[answer.item]
        is_alone = not counts[StagedAnswer(answer.item, not answer.is_second)]
        found.append((1.0 if is_alone else share) / counts[answer])
    return found
