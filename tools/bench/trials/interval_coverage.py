"""`python -m tools.bench.trials.interval_coverage`: coverage of the intervals for human scores, in simulated studies.

The design is that of grasp-plausibility: 16 tests x 40 items, three judgments an item, 120 people of 16 judgments. A
person is right on an item with logit = level + person + item, the latter two normal, so the true accuracy is known
exactly. Variances are computed for all studies at once; intervals come from the functions of `measures`
(tests/tools/test_interval_coverage.py shows that they equal those of `measures.estimate` on single judgments).
Prints the tables that docs/how-we-checked.md sums up, and which rows are off the target; exit 1 if the two-way
interval is. The seed is fixed, so the tables are always the same. With `people`, `dependence`, `groups`
or `corners` it prints one part.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()

from humantrials.protocols.designs.balanced import grasp_sheets
from measures.figures import Interval
from measures.shares.intervals import effect_of, from_variance, thinned_votes
from measures.shares.majorities import OF_SINGLE
from tools.bench.trials import corner_coverage, dependence_coverage, group_coverage

TESTS, ITEMS, REPLICATES, PEOPLE = 16, 40, 3, 120
STUDIES, AT_ONCE = 4_000, 500
DRAWS = 1_000  # where answers depend on each other
PARTS = {"dependence": dependence_coverage, "groups": group_coverage, "corners": corner_coverage}
ACCURACIES = (0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
TARGETED = ACCURACIES[:4]
SPREADS = ((0.5, 0.5), (0.5, 1.0), (1.0, 0.5), (1.0, 1.0), (1.0, 2.0))  # logits: of people, of items
OVERALL, PER_TEST = (0.93, 0.97), (0.91, 0.98)
Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Truth:
    """True parameters: mean accuracy, and standard deviations (logits) of people and items."""

    accuracy: float
    people: float
    items: float

    @property
    def level(self) -> float:
        """The logit that gives this mean accuracy."""
        if self.accuracy >= 1:
            return float("inf")
        spread = np.hypot(self.people, self.items)
        return brentq(lambda level: float(_mean(lambda z: expit(level + spread * z))) - self.accuracy, -20, 20)

    @property
    def majority(self) -> float:
        """Probability that at least two of three people are right on an item."""
        if self.accuracy >= 1:
            return 1.0
        level, nodes = self.level, np.polynomial.hermite_e.hermegauss(60)[0]
        of_item = np.array([_mean(lambda z, at=at: expit(level + self.items * at + self.people * z)) for at in nodes])
        weights = np.polynomial.hermite_e.hermegauss(60)[1]
        return float(weights @ (3 * of_item**2 - 2 * of_item**3) / weights.sum())


@dataclass(frozen=True)
class SimulatedDesign:
    """Which person judges which item, by judgment, and each person's judgments."""

    person: NDArray[np.int64]  # of each judgment; judgments are sorted by test and item
    item: NDArray[np.int64]
    by_person: NDArray[np.int64]  # indices of each person's judgments, a row for each person


@dataclass(frozen=True)
class Coverage:
    """Share of intervals that contain the truth: over all items, mean over tests, worst and best test."""

    overall: float
    tests: float
    lowest: float
    highest: float
    width: float  # mean width of the overall interval

    @property
    def is_on_target(self) -> bool:
        return OVERALL[0] <= self.overall <= OVERALL[1] and PER_TEST[0] <= self.lowest <= self.highest <= PER_TEST[1]


def _mean(of) -> float:
    """Mean of a function of a standard normal variable (Gauss-Hermite quadrature)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return weights @ of(nodes) / weights.sum()


def design_of(seed: int) -> SimulatedDesign:
    """The design of a trial with this seed."""
    names = {f"{test:02}": [f"{test:02}/{item:02}" for item in range(ITEMS)] for test in range(TESTS)}
    place = {item: number for number, item in enumerate(item for items in names.values() for item in items)}
    slots = [
        (place[slot.item], slot.replicate, person)
        for person, sheet in enumerate(grasp_sheets(names, replicates=REPLICATES, seed=seed))
        for slot in sheet
    ]
    item, _, person = np.array(sorted(slots)).T
    return SimulatedDesign(person, item, np.argsort(person, kind="stable").reshape(PEOPLE, TESTS))


def judged(truth: Truth, design: SimulatedDesign, studies: int, rng: np.random.Generator) -> Array:
    """Random judgments, 1 for right and 0 for wrong: a row for each study, a column for each judgment."""
    if truth.accuracy >= 1:
        return np.ones((studies, len(design.item)))
    people = truth.people * rng.standard_normal((studies, PEOPLE))
    items = truth.items * rng.standard_normal((studies, TESTS * ITEMS))
    chance = expit(truth.level + people[:, design.person] + items[:, design.item])
    return (rng.random(chance.shape) < chance).astype(float)


def product_of(totals: Array, share: Array, each: int) -> Array:
    """The sum of squared residuals of clusters of one size, for all studies at once."""
    return ((totals - share[:, None] * each) ** 2).sum(1)


def combined_variance(person: float, item: float, cell: float, sizes: tuple[int, int, int]) -> tuple[float, float]:
    """The variance over people and items, and over items, of n judgments: `crossed` in a balanced design.

    `sizes` are n and the numbers of judgments of a person and of an item.
    """
    n, by_person, by_item = sizes
    single = item / n / (n - by_item)
    both = (person + item - cell) / n / (n - by_person - by_item + 1)
    return max(both, single, person / n / (n - by_person)), single


def intervals_of(values: Array, places: Places, people: int) -> Iterator[tuple[Interval, Interval]]:
    """Yield (two-way interval, majority interval) for each study; `values` has three columns for each item.

    `places` are the columns of each person.
    """
    share = values.mean(1)
    by_item = values.reshape(len(values), -1, REPLICATES).sum(2)
    items, sizes = by_item.shape[1], (values.shape[1], values.shape[1] // people, REPLICATES)
    products = zip(
        share.tolist(),
        product_of(values[:, places].sum(2), share, sizes[1]).tolist(),
        product_of(by_item, share, REPLICATES).tolist(),
        product_of(values, share, 1).tolist(),
        (by_item > REPLICATES / 2).sum(1).tolist(),
        added_by_people(values, by_item, places),
        strict=True,
    )
    for mean, person, item, cell, right, added in products:
        both, single_factor = combined_variance(person, item, cell, sizes)
        single = from_variance(mean, both, values.shape[1], min(people, items))
        yield single, thinned_votes(right, items, effect_of_votes(right, items, added, both, single_factor), people)


def added_by_people(values: Array, by_item: Array, places: Places) -> list[float]:
    """People's part of the variance of the share of right majorities, as in `crossed`, for each study."""
    n, items = values.shape[1], by_item.shape[1]
    hangs = (np.repeat(by_item, REPLICATES, axis=1) - values == 1).astype(float)
    usual = (hangs * values).sum(1) / np.maximum(1, hangs.sum(1))
    shares = hangs * (values - usual[:, None])
    alone = (shares[:, places].sum(2) ** 2).sum(1) / n / (n - places.shape[1])
    found: list[float] = ((n / items) ** 2 * np.maximum(0, alone - (shares**2).sum(1) / n / (n - 1))).tolist()
    return found


def effect_of_votes(right: int, items: int, added: float, both: float, single: float) -> float:
    """The design effect of `measures.shares.majorities` without ties."""
    plain = right * (items - right) / items**3
    if not plain:
        return 1.0
    alone = items / (items - 1)
    return float((alone + added / plain) ** (1 - OF_SINGLE) * (effect_of(both, single) * alone) ** OF_SINGLE)


def coverage_of(truth: Truth, studies: int = STUDIES, seed: int = 0) -> tuple[Coverage, Coverage]:
    """Coverage of the two-way interval for single answers, and of the majority's interval."""
    targets = truth.accuracy, truth.majority
    held = np.zeros((2, TESTS + 1))
    width = np.zeros(2)
    for start in range(0, studies, AT_ONCE):
        rng, design = np.random.default_rng([seed, start]), design_of(start)
        values = judged(truth, design, min(AT_ONCE, studies - start), rng)
        for place, (part, places) in enumerate(_parts(values, design)):
            for pair in intervals_of(part, places, PEOPLE):
                held[:, place] += [one.low <= target <= one.high for one, target in zip(pair, targets, strict=True)]
                width += [0 if place else one.high - one.low for one in pair]
    held, width = held / studies, width / studies
    single, majority = (
        Coverage(row[0], row[1:].mean(), row[1:].min(), row[1:].max(), wide)
        for row, wide in zip(held, width, strict=True)
    )
    return single, majority


def _parts(values: Array, design: SimulatedDesign) -> Iterator[tuple[Array, Places]]:
    """Yield (judgments, columns of each person) for all judgments, then for each test."""
    yield values, design.by_person
    for part in np.split(values, TESTS, axis=1):
        yield part, np.arange(PEOPLE)[:, None]  # everybody judges once in each test


def measure(studies: int = STUDIES) -> list[tuple[Truth, Coverage, Coverage]]:
    worlds = [Truth(accuracy, people, items) for accuracy in ACCURACIES for people, items in SPREADS]
    return [(truth, *coverage_of(truth, studies, seed=number)) for number, truth in enumerate(worlds)]


def table(rows: Sequence[tuple[Truth, Coverage]], columns: str) -> str:
    lines = [
        f"| {columns} | spread of people, items (logits) | overall | width | tests together | worst test | best test |",
        "|---|---|---|---|---|---|---|",
    ]
    for truth, found in rows:
        rate = truth.accuracy if columns == "accuracy" else truth.majority
        cells = [f"{100 * one:.1f} %" for one in (found.overall, found.width, found.tests, found.lowest, found.highest)]
        lines.append(f"| {100 * rate:.1f} % | {truth.people}, {truth.items} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(wanted: str) -> int:
    began = time.monotonic()
    off = _panels() if wanted in ("", "people") else []
    for name, part in PARTS.items():
        for heading, what, rows in part.measured(DRAWS) if wanted in ("", name) else ():
            _say(heading, f"{dependence_coverage.table(rows, what)}\n\n{dependence_coverage.exceptions(rows)}")
    if wanted in ("", "corners"):
        _say("Ranks of equal models", corner_coverage.ranks_table())
    print(f"{len(off)} rows off target, {time.monotonic() - began:.0f} s", file=sys.stderr)
    for truth in off:
        print(truth, file=sys.stderr)
    return 1 if off else 0


def _panels() -> list[Truth]:
    """Print the tables of GRASP's study, and return which worlds are off the target."""
    found = measure()
    _say("Single answers: the two-way interval", table([(truth, one) for truth, one, _ in found], "accuracy"))
    _say("The majority of three", table([(truth, one) for truth, _, one in found], "majority right"))
    return [truth for truth, one, _ in found if truth.accuracy in TARGETED and not one.is_on_target]


def _say(heading: str, text: str) -> None:
    print(f"## {heading}\n\n{text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [""]))
