"""Tests whether a second round where people disagree leaves the share unbiased, and measures the gain.

`python -m bench.trials.adaptive_sampling`. Studies are like GRASP's: `ITEMS` items with three answers each, then a
second round with `second` answers an item. Items' shares come from a beta distribution, and people are better or worse.
Every figure is compared with the mean of the study's own items, so items are no random sample.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from measures.intervals import two_way, weighted_two_way
from measures.two_stage import StagedAnswer, allotted, disagreement, first_share, weights_of

FIRST, PERSON = 3, 0.05  # answers an item in the first round; deviation of people from the item's share
SHARES = {"easy and hard": (1.2, 0.4), "all alike": (14.0, 6.0), "few hard": (6.0, 0.7)}  # beta distributions


@dataclass(frozen=True)
class StudySize:
    """Items, items on a sheet, and answers an item in the second round."""

    items: int = 64
    sheet: int = 16
    second: int = 2


@dataclass(frozen=True)
class Answer:
    """One simulated answer."""

    item: int
    person: int
    is_right: bool
    is_second: bool


@dataclass(frozen=True)
class Estimate:
    """A study's estimate minus the truth, whether its interval holds the truth, and the share of wrong majorities."""

    error: float
    holds: bool
    wrong_majorities: float = 0.0


def uniform_answers(
    rng: random.Random, shares: Sequence[float], wanted: Sequence[int], size: StudySize, *, is_second: bool
):
    """So many answers to each item, on sheets of different people; nobody gets an item twice."""
    sheets: list[list[int]] = [[] for _ in range(max(max(wanted), -(-sum(wanted) // size.sheet)))]
    for item in rng.sample(range(len(wanted)), len(wanted)):
        fewest = sorted(range(len(sheets)), key=lambda number: (len(sheets[number]), rng.random()))
        for number in fewest[: wanted[item]]:
            sheets[number].append(item)
    found = []
    for number, items in enumerate(sheets):
        side = rng.choice((-PERSON, PERSON))
        person = -1 - number if is_second else number
        for item in items:
            is_right = rng.random() < min(1.0, max(0.0, shares[item] + side))
            found.append(Answer(item, person, is_right, is_second))
    return found


def one_study(rng: random.Random, beta: tuple[float, float], size: StudySize) -> dict[str, Estimate]:
    """The estimates of one study, by design and weighting."""
    shares = [min(1 - PERSON, max(PERSON, rng.betavariate(*beta))) for _ in range(size.items)]
    first = uniform_answers(rng, shares, [FIRST] * size.items, size, is_second=False)
    right: dict[int, int] = defaultdict(int)
    for one in first:
        right[one.item] += one.is_right
    differ = {str(item): disagreement((right[item], FIRST - right[item]), 2) for item in range(size.items)}
    sizes = allotted(differ, size.second * size.items)
    adaptive = uniform_answers(rng, shares, [sizes[str(item)] for item in range(size.items)], size, is_second=True)
    even = uniform_answers(rng, shares, [size.second] * size.items, size, is_second=True)
    return {
        "the same number for every item": _weighted(first + even, shares, size),
        "where people disagree, weighted": _weighted(first + adaptive, shares, size),
        "where people disagree, mean of items": _by_item(first + adaptive, shares),
        "where people disagree, mean of answers": _plain(first + adaptive, shares),
    }


def _weighted(answers: Sequence[Answer], shares: Sequence[float], size: StudySize) -> Estimate:
    staged = [StagedAnswer(one.item, one.is_second) for one in answers]
    return _estimate(
        answers, weights_of(staged, dict.fromkeys(range(size.items), first_share(FIRST, size.second))), shares
    )


def _by_item(answers: Sequence[Answer], shares: Sequence[float]) -> Estimate:
    staged = [StagedAnswer(one.item, False) for one in answers]
    return _estimate(answers, weights_of(staged, dict.fromkeys(range(len(shares)), 1.0)), shares)


def _plain(answers: Sequence[Answer], shares: Sequence[float]) -> Estimate:
    return _estimate(answers, [1.0] * len(answers), shares)


def _estimate(answers: Sequence[Answer], weights: Sequence[float], shares: Sequence[float]) -> Estimate:
    values = [float(one.is_right) for one in answers]
    people, items = [one.person for one in answers], [one.item for one in answers]
    truth, total = fmean(shares), sum(weights)
    found = sum(weight * value for weight, value in zip(weights, values, strict=True)) / total
    interval = (
        weighted_two_way(values, weights, people, items) if len(set(weights)) > 1 else two_way(values, people, items)
    )
    return Estimate(found - truth, interval.low <= truth <= interval.high, _wrong(answers, shares))


def _wrong(answers: Sequence[Answer], shares: Sequence[float]) -> float:
    """The share of items whose answers' majority is not that of everybody; ties count half."""
    scores = defaultdict(list)
    for one in answers:
        scores[one.item].append(one.is_right)
    votes = {item: fmean(own) for item, own in scores.items()}
    return fmean(0.5 if vote == 0.5 else float((vote > 0.5) != (shares[item] > 0.5)) for item, vote in votes.items())


def table(studies: int, size: StudySize, seed: int = 1) -> dict[str, dict[str, list[Estimate]]]:
    """Spread -> design and weighting -> the estimates of so many studies."""
    found: dict[str, dict[str, list[Estimate]]] = {name: defaultdict(list) for name in SHARES}
    for name, beta in SHARES.items():
        rng = random.Random(f"{seed}/{name}")
        for _ in range(studies):
            for way, estimate in one_study(rng, beta, size).items():
                found[name][way].append(estimate)
    return found


def bias(found: Sequence[Estimate]) -> tuple[float, float]:
    """The mean error in points, and its standard error."""
    errors = [100 * one.error for one in found]
    mean = fmean(errors)
    return mean, sqrt(sum((error - mean) ** 2 for error in errors) / (len(errors) - 1) / len(errors))


def main(studies: int) -> int:
    """Print the table; 1 if the weighted share is biased by more than three standard errors."""
    print(
        "| items | asked and counted | bias, points | root mean square error | intervals that hold | wrong majorities |"
    )
    print("|---|---|---|---|---|---|")
    is_biased = False
    for name, ways in table(studies, StudySize()).items():
        for way, found in ways.items():
            (mean, error), rms = bias(found), sqrt(fmean((100 * one.error) ** 2 for one in found))
            holds, wrong = fmean(one.holds for one in found), 100 * fmean(one.wrong_majorities for one in found)
            print(f"| {name} | {way} | {mean:+.2f} ± {1.96 * error:.2f} | {rms:.2f} | {holds:.1%} | {wrong:.1f} % |")
            is_biased |= way.endswith("weighted") and abs(mean) > 3 * error
    return int(is_biased)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
