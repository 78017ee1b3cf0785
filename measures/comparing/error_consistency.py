"""Whether two answerers err on the same items: Cohen's kappa of being right or wrong, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.comparing.paired import PeopleParts
from measures.figures import Consistency, Interval
from measures.shares.crossed import Spread, sharing, spread
from measures.shares.intervals import furthest, normal_quantile, shrinkage, wilson

Numbers = NDArray[np.float64]
# Pseudo-counts for each cell of the table of right and wrong, so that an empty cell has a spread: for the variance, and
# for the agreement itself. Among the values from 0 to 1, these two give the most even coverage of kappa
# (docs/how-we-checked.md).
FOR_VARIANCE, FOR_AGREEMENT = 1.0, 0.25
FIRST, SECOND = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])  # both, first, second, neither right
ALIKE = FIRST == SECOND
APART = np.array([1, -1, -1, 1])  # moves an item from both and one from neither to each alone


def error_consistency(first: Sequence[bool], second: Sequence[bool]) -> Consistency:
    """Cohen's kappa of being right or wrong on the same items (Geirhos, Meding & Wichmann 2020, NeurIPS 33)."""
    n = len(first)
    if not n or n != len(second):
        raise ValueError(f"{n} and {len(second)} items: two answerers of the same items are compared, at least one")
    share_first, share_second = sum(first) / n, sum(second) / n
    expected = _expected(share_first, share_second)
    observed = int(np.count_nonzero(np.asarray(first, bool) == np.asarray(second, bool))) / n
    return Consistency(n, observed, expected, (observed - expected) / (1 - expected) if expected < 1 else None)


def error_consistency_interval(
    first: Sequence[bool], second: Sequence[bool], labels: ArrayLike, people: PeopleParts | None = None
) -> Interval | None:
    """Interval of kappa; items depend on each other by these labels, (n,) or for dyads (n, 2). None without a kappa.

    It is the Wilson interval of the agreement, mapped to kappa's scale with the expected agreement held fixed. Its
    number of independent items is the one that gives kappa's variance (by the delta method, times the design effect of
    clips and people). Among kappas that the upper end can't exclude, the lower end is that of shared errors if it is
    higher (`_low`). `people` holds the shares of `gains`.
    """
    kappa = error_consistency(first, second).kappa
    if kappa is None:
        return None
    table, n = _Table.of(first, second, FOR_VARIANCE), len(first)
    own = table.influence[table.cell_of(first, second)]
    found = spread(own - own.mean(), np.ones(n), sharing(labels))
    found = found if people is None else _with_people(found, people, n)
    if found.degrees <= 0:
        return Interval(-1.0, 1.0)
    alone = spread(own - own.mean(), np.ones(n)).variance
    effect = max(1.0, found.variance / alone if alone > 0 else n / found.levels)
    known = shrinkage(0.95, found.degrees) / effect
    counts = np.bincount(_Table.cell_of(first, second), minlength=4)
    ends = _by_agreement(counts, known)
    low = max(ends.low, _low(counts, known))
    return Interval(max(-1.0, min(low, kappa)), min(1.0, max(ends.high, kappa)))


def _with_people(items: Spread, people: PeopleParts, n: int) -> Spread:
    """Items and people together, with the degrees of freedom of the sum (Satterthwaite 1946, Biometrics Bulletin 2).

    People add little to kappa. With the degrees of freedom of the fewer, as for differences, the coverage with 12
    people was 97.5 %.
    """
    added = people.added(n)
    if items.degrees <= 0 or not added.variance:
        return items
    whole = items.variance + added.variance
    parts = items.variance**2 / items.degrees + added.variance**2 / added.degrees
    return Spread(whole, whole**2 / parts, items.levels)


def _by_agreement(counts: NDArray[np.int64], known: float) -> Interval:
    """Wilson interval of the agreement on kappa's scale; an item here counts as `known` independent ones."""
    number = max(1.0, known * _Table.plus(counts, FOR_VARIANCE).independent(int(counts.sum())))
    seen = _Table.plus(counts, FOR_AGREEMENT)
    ends = wilson(seen.observed * number, number)
    return Interval(*((end - seen.expected) / (1 - seen.expected) for end in (ends.low, ends.high)))


def _low(counts: NDArray[np.int64], known: float) -> float:
    """The lower end by shared errors, given each answerer's error rate (Cornfield 1956, Third Berkeley Symposium 4).

    With few wrong items its error is 2.5 %, while that of the agreement's lower end is nearly 0. It is used only below
    the upper end for the fewest shared errors, where no kappa is ever excluded from above.
    """
    shared = min(counts[0], counts[3])
    if not shared:
        return -1.0
    table = _Table.plus(counts, FOR_AGREEMENT)
    most = normal_quantile(0.95) ** 2 / known / int(counts.sum())
    both, first, second, neither = table.shares.tolist()

    def is_within(moved: float) -> bool:
        cells = (both - moved, first + moved, second + moved, neither - moved)
        return moved**2 * sum(1 / cell for cell in cells) <= most

    moved = furthest(is_within, 0.0, min(both, neither))  # the share of items moved out of both and out of neither
    end = (table.observed - 2 * moved - table.expected) / (1 - table.expected)
    return min(end, _by_agreement(counts - shared * APART, known).high)


def gains(first: Sequence[bool], second: Sequence[bool]) -> tuple[Numbers, Numbers]:
    """The gain of n times kappa if the first, or the second, is right on an item instead of wrong; (n,) each."""
    table = _Table.of(first, second, FOR_VARIANCE)
    p, q, one, other = table.first, table.second, np.asarray(first, float), np.asarray(second, float)
    rest = 1 - table.kappa
    of_first, of_second = 2 * other - 1 - rest * (2 * q - 1), 2 * one - 1 - rest * (2 * p - 1)
    return of_first / (1 - table.expected), of_second / (1 - table.expected)


def _expected(first: float, second: float) -> float:
    return first * second + (1 - first) * (1 - second)


@dataclass(frozen=True)
class _Table:
    """The shares of items that both, only one or neither answered right, in the order of FIRST and SECOND."""

    shares: Numbers

    @classmethod
    def of(cls, first: Sequence[bool], second: Sequence[bool], added: float) -> "_Table":
        return cls.plus(np.bincount(cls.cell_of(first, second), minlength=4), added)

    @classmethod
    def plus(cls, counts: NDArray[np.int64], added: float) -> "_Table":
        return cls((counts + added) / (counts.sum() + 4 * added))

    @staticmethod
    def cell_of(first: Sequence[bool], second: Sequence[bool]) -> NDArray[np.int64]:
        return 2 * (1 - np.asarray(first, np.int64)) + (1 - np.asarray(second, np.int64))

    @property
    def first(self) -> float:
        return float(self.shares @ FIRST)

    @property
    def second(self) -> float:
        return float(self.shares @ SECOND)

    @property
    def observed(self) -> float:
        return float(self.shares @ ALIKE)

    @property
    def expected(self) -> float:
        return _expected(self.first, self.second)

    @property
    def kappa(self) -> float:
        return (self.observed - self.expected) / (1 - self.expected)

    @property
    def influence(self) -> Numbers:
        """The contribution of an item in each cell to n times kappa."""
        marginals = (2 * self.second - 1) * (FIRST - self.first) + (2 * self.first - 1) * (SECOND - self.second)
        return (ALIKE - self.observed - (1 - self.kappa) * marginals) / (1 - self.expected)

    def independent(self, n: int) -> float:
        """The number of items for which the agreement, on kappa's scale, has the variance of kappa over n items."""
        of_kappa = float(self.shares @ self.influence**2) * (1 - self.expected) ** 2
        return n * self.observed * (1 - self.observed) / of_kappa
