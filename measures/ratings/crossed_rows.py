"""Figures of several rows whose answers share people and prompts, with one covariance for all of them.

People and prompts are both samples: another study would have others of both. A row's figure is a sum of parts, one for
each answer; two parts vary together if they share a person or a prompt (Cameron, Gelbach & Miller 2011, Journal of
Business & Economic Statistics 29). The covariance over all rows lets any difference of rows keep what they share: the
difficulty of a prompt, the severity of a person.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.comparing.rank_sets import TIE, Matrix
from measures.figures import LEVEL, Interval
from measures.shares.intervals import shrinkage, t_quantile, wilson

DRAWS, AT_ONCE = 4_000, 500
SEED = 20_260_606  # of the joint distribution of all differences: the same answers have the same ranks

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class FactorCovariance:
    """The covariance of the rows over the levels of one factor, and its degrees of freedom."""

    covariance: Numbers
    degrees: float

    @classmethod
    def over(cls, parts: Numbers, labels: ArrayLike) -> "FactorCovariance":
        """From each answer's part in the rows (answers × rows) and its cluster: m / (m - 1) times the sum of squares.

        The number of clusters m is Kish's effective one for the answers in each (1965, Survey Sampling, 11.7).
        """
        numbers = np.unique(np.asarray(labels), return_inverse=True)[1]
        sizes = np.bincount(numbers)
        sums = np.zeros((len(sizes), parts.shape[1]))
        for row, column in enumerate(parts.T):
            sums[:, row] = np.bincount(numbers, column, len(sizes))
        number = float(sizes.sum() ** 2 / (sizes @ sizes)) if len(sizes) else 0.0
        if number <= 1:
            return cls(np.zeros((parts.shape[1],) * 2), 0.0)
        return cls(sums.T @ sums * number / (number - 1), number - 1)

    @classmethod
    def over_people(
        cls, parts: Numbers, people: ArrayLike, prompts: ArrayLike
    ) -> "tuple[FactorCovariance, FactorCovariance]":
        """Over people, and over what each person answered to each prompt."""
        persons, questions = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (people, prompts))
        return cls.over(parts, persons), cls.over(parts, persons * (questions.max(initial=0) + 1) + questions)


@dataclass(frozen=True)
class CrossedRows:
    """Figures (rows,) and the parts of their covariance (rows × rows): of people, of prompts, and of single cells."""

    values: Numbers
    people: FactorCovariance
    cells: FactorCovariance
    prompts: FactorCovariance

    @property
    def covariance(self) -> Numbers:
        """Of all rows (rows × rows), by inclusion and exclusion; it may have small negative eigenvalues."""
        whole: Numbers = self.people.covariance + self.prompts.covariance - self.cells.covariance
        return (whole + whole.T) / 2

    def variance(self, weights: ArrayLike) -> tuple[float, float]:
        """The variance of this weighted sum of rows and its degrees of freedom (Satterthwaite 1946, Biometrics 2).

        A person's answer to a prompt is counted by both factors, so it is taken off the people, who add nothing at
        least; what people add is as uncertain as the geometric mean of itself and of the whole over people. Prompts are
        shared by all rows, so their part of a difference is free of what prompts have in common.
        """
        known = np.asarray(weights, float)
        people, prompts, cells = (
            float(known @ part.covariance @ known) for part in (self.people, self.prompts, self.cells)
        )
        added = max(0.0, people - cells)
        whole = added + prompts
        if whole <= 0:
            return 0.0, 0.0
        parts = (added * people / max(self.people.degrees, 1e-9), prompts**2 / max(self.prompts.degrees, 1e-9))
        return whole, whole**2 / sum(parts)

    def interval(self, weights: ArrayLike, level: float = 1 - LEVEL) -> Interval | None:
        """The interval of this weighted sum of rows; None if its variance is unknown."""
        variance, degrees = self.variance(weights)
        if variance <= 0 or degrees < 1:
            return None
        known = np.asarray(weights, float)
        middle, half = float(known[known != 0] @ self.values[known != 0]), t_quantile(level, degrees) * variance**0.5
        return None if np.isnan(middle) else Interval(middle - half, middle + half)

    def of_row(self, row: int) -> Interval | None:
        return self.interval(np.eye(len(self.values))[row])

    def of_share(self, row: int) -> Interval | None:
        """The interval of a row's share: Wilson's at the number of prompts that would have this variance.

        Prompts add at most as much as if all clips of each had one result, which is known as soon as the share is; what
        was found over them is less, but uncertain. The narrower of both holds. What people add is a difference of two
        variances, mostly noise in a single row, so all rows say which part it is. A share of 0 or 1 counts as so many
        prompts as there are.
        """
        share, prompts = float(self.values[row]), self.prompts.degrees + 1
        if np.isnan(share) or prompts < 2:
            return None
        spread, found = share * (1 - share), float(self.prompts.covariance[row, row])
        people, cells = (np.diag(part.covariance) for part in (self.people, self.cells))
        added = float(people[row] * max(0.0, (people - cells).sum()) / max(people.sum(), 1e-300))
        uncertain = added * people[row] / max(self.people.degrees, 1e-9) / len(people)
        number = 0.0 if spread > 0 else prompts
        for variance, doubt in ((spread / prompts, 0.0), (found, found**2 / self.prompts.degrees)):
            if (whole := added + variance) > 0:
                degrees = whole**2 / max(uncertain + doubt, 1e-300)
                number = max(number, spread / whole * shrinkage(1 - LEVEL, degrees))
        return wilson(share * max(1.0, number), max(1.0, number))

    def with_prompts(self, number: int) -> "CrossedRows":
        """What as many prompts may find, with people in proportion: each prompt rated as often, each person as busy."""
        ratio = number / (self.prompts.degrees + 1)
        parts = (self.people, self.cells, self.prompts)
        return CrossedRows(
            self.values,
            *(FactorCovariance(part.covariance / ratio, max(0.0, (part.degrees + 1) * ratio - 1)) for part in parts),
        )

    @property
    def separable(self) -> float | None:
        """The smallest difference of two usual rows that is told from 0 with all pairs tested together."""
        spreads, is_known = self._spreads
        if not is_known.any():
            return None
        limit = np.quantile(self._joint_draws(spreads)[:, is_known].max(axis=1), 1 - LEVEL)
        return float(limit * np.median(spreads[is_known]))

    @cached_property
    def below(self) -> Matrix:
        """[i, j]: row i lies below row j; with 95 % no pair of the whole board is separated wrongly.

        All differences are tested together against the largest of their joint distribution, and again without those
        that were separated (stepdown: Romano & Wolf 2005, Econometrica 73).
        """
        first, second = np.triu_indices(len(self.values), 1)
        found = np.zeros((len(self.values),) * 2, bool)
        differences = self.values[first] - self.values[second]
        spreads, is_left = self._spreads
        ratios = np.divide(np.abs(differences), spreads, out=np.zeros(len(spreads)), where=is_left)
        draws = self._joint_draws(spreads) if is_left.any() else np.zeros((1, len(spreads)))
        while is_left.any():
            limit = np.quantile(draws[:, is_left].max(axis=1), 1 - LEVEL)
            is_new = is_left & (ratios > limit)
            if not is_new.any():
                break
            is_left = is_left & ~is_new
            lower, higher = np.where(differences < 0, (first, second), (second, first))
            found[lower[is_new], higher[is_new]] = True
        return found

    @cached_property
    def _spreads(self) -> tuple[Numbers, NDArray[np.bool_]]:
        """The standard error of each pair's difference, and whether it is known: two rows that never vary have none."""
        first, second = np.triu_indices(len(self.values), 1)
        rows = np.eye(len(self.values))
        known = [self.variance(weights) for weights in rows[first] - rows[second]]
        spreads = np.sqrt([variance for variance, _ in known])
        degrees = np.array([degrees for _, degrees in known])
        return spreads, (spreads > TIE) & (degrees >= 1) & ~np.isnan(self.values[first] - self.values[second])

    def _joint_draws(self, spreads: Numbers) -> Numbers:
        """Draws of all pairs' absolute t statistics under equality (draws × pairs).

        Each draw has differences of this covariance, and variances of its own, as another sample of so many people and
        prompts would: few people with strong tastes make some pair's variance too small by chance, and the largest of
        all statistics looks for such pairs. One common chi-squared variable for all pairs separated equal rows in 8 to
        10 % of worlds with 20 people instead of 5.
        """
        random = np.random.default_rng(SEED)
        root, cells = _root(self.covariance), _of_pairs(self.cells.covariance)
        first, second = np.triu_indices(len(root), 1)
        differences, variances = [], []
        for _ in range(DRAWS // AT_ONCE):
            people, prompts = (_of_pairs(_wishart(part, random)) for part in (self.people, self.prompts))
            variances.append(np.maximum(0.0, people - cells) + prompts)
            rows = random.standard_normal((AT_ONCE, len(root))) @ root.T
            differences.append(np.abs(rows[:, first] - rows[:, second]))
        found = np.concatenate(variances)
        known, expected = np.maximum(spreads**2, found.mean(axis=0)), _of_pairs(root @ root.T)
        ratios = np.divide(known, found * expected, out=np.zeros_like(found), where=(found > 0) & (expected > 0))
        statistics: Numbers = np.concatenate(differences) * np.sqrt(ratios)
        return statistics


def _root(covariance: Numbers) -> Numbers:
    """R with RR' = the covariance, without the negative eigenvalues that it may have."""
    sizes, directions = np.linalg.eigh((covariance + covariance.T) / 2)
    found: Numbers = directions * np.sqrt(np.maximum(sizes, 0.0))
    return found


def _of_pairs(covariance: Numbers) -> Numbers:
    """The variance of each pair's difference, from one covariance or from a stack of them."""
    first, second = np.triu_indices(covariance.shape[-1], 1)
    found: Numbers = (
        covariance[..., first, first] + covariance[..., second, second] - 2 * covariance[..., first, second]
    )
    return found


def _wishart(part: FactorCovariance, random: np.random.Generator) -> Numbers:
    """Covariances as samples with so many degrees of freedom would find them (Bartlett 1933, Proceedings of the Royal
    Society of Edinburgh 53).
    """
    rows = len(part.covariance)
    columns = min(rows, int(part.degrees))
    if not columns:
        return np.zeros((AT_ONCE, rows, rows))
    lower = np.tril(random.standard_normal((AT_ONCE, rows, columns)), -1)
    for column in range(columns):
        lower[:, column, column] = np.sqrt(random.chisquare(part.degrees - column, AT_ONCE))
    factors = _root(part.covariance) @ lower / part.degrees**0.5
    found: Numbers = factors @ factors.transpose(0, 2, 1)
    return found


def crossed_rows(values: ArrayLike, parts: Numbers, people: ArrayLike, prompts: ArrayLike) -> CrossedRows:
    """Rows with these figures from each answer's part in them (answers × rows), its person and its prompt."""
    whole = FactorCovariance.over(parts, prompts)
    return CrossedRows(np.asarray(values, float), *FactorCovariance.over_people(parts, people, prompts), whole)
