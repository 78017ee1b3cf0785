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

from measures.comparing.rank_sets import Matrix
from measures.figures import LEVEL, Interval
from measures.shares.intervals import t_quantile

DRAWS = 20_000
SEED = 20_260_606  # of the joint distribution of all differences: the same answers have the same ranks

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class FactorCovariance:
    """The covariance of the rows over the levels of one factor, and its degrees of freedom."""

    covariance: Numbers
    degrees: float


@dataclass(frozen=True)
class CrossedRows:
    """Figures (rows,) and the parts of their covariance (rows × rows): of people, of prompts, and of single cells."""

    values: Numbers
    people: FactorCovariance
    prompts: FactorCovariance
    cells: FactorCovariance

    @property
    def covariance(self) -> Numbers:
        """Of all rows (rows × rows), by inclusion and exclusion; it may have small negative eigenvalues."""
        whole: Numbers = self.people.covariance + self.prompts.covariance - self.cells.covariance
        return (whole + whole.T) / 2

    def variance(self, weights: ArrayLike) -> tuple[float, float]:
        """The variance of this weighted sum of rows and its degrees of freedom (Satterthwaite 1946, Biometrics 2).

        A person's answer to a prompt is counted by both factors, so it is taken off the people, who add nothing at
        least. Prompts are shared by all rows, so their part of a difference is free of what prompts have in common.
        """
        known = np.asarray(weights, float)
        people, prompts, cells = (
            float(known @ part.covariance @ known) for part in (self.people, self.prompts, self.cells)
        )
        added = max(0.0, people - cells)
        whole = added + prompts
        if whole <= 0:
            return 0.0, 0.0
        parts = (added**2 / max(self.people.degrees, 1e-9), prompts**2 / max(self.prompts.degrees, 1e-9))
        return whole, whole**2 / sum(parts)

    def interval(self, weights: ArrayLike, level: float = 1 - LEVEL) -> Interval | None:
        """The interval of this weighted sum of rows; None if its variance is unknown."""
        variance, degrees = self.variance(weights)
        if variance <= 0 or degrees < 1:
            return None
        middle, half = float(np.asarray(weights, float) @ self.values), t_quantile(level, degrees) * variance**0.5
        return Interval(middle - half, middle + half)

    def of_row(self, row: int) -> Interval | None:
        return self.interval(np.eye(len(self.values))[row])

    @cached_property
    def below(self) -> Matrix:
        """[i, j]: row i lies below row j; with 95 % no pair of the whole board is separated wrongly.

        All differences are tested together against the largest of their joint t distribution, and again without those
        that were separated (stepdown: Romano & Wolf 2005, Econometrica 73).
        """
        first, second = np.triu_indices(len(self.values), 1)
        found = np.zeros((len(self.values),) * 2, bool)
        differences = self.values[first] - self.values[second]
        known = [self.variance(row) for row in np.eye(len(self.values))[first] - np.eye(len(self.values))[second]]
        spreads, degrees = np.sqrt([variance for variance, _ in known]), np.array([one for _, one in known])
        is_left = (spreads > 0) & (degrees >= 1)
        ratios = np.divide(np.abs(differences), spreads, out=np.zeros(len(spreads)), where=is_left)
        draws = self._joint_draws(first, second, spreads, degrees)
        while is_left.any():
            limit = np.quantile(draws[:, is_left].max(axis=1), 1 - LEVEL)
            is_new = is_left & (ratios > limit)
            if not is_new.any():
                break
            is_left &= ~is_new
            lower, higher = np.where(differences < 0, (first, second), (second, first))
            found[lower[is_new], higher[is_new]] = True
        return found

    def _joint_draws(self, first: ArrayLike, second: ArrayLike, spreads: Numbers, degrees: Numbers) -> Numbers:
        """Draws of all pairs' absolute t statistics under equality (draws × pairs)."""
        sizes, directions = np.linalg.eigh(self.covariance)
        root = directions * np.sqrt(np.maximum(sizes, 0.0))
        random = np.random.default_rng(SEED)
        rows = random.standard_normal((DRAWS, len(root))) @ root.T
        normal = rows[:, first] - rows[:, second]
        scales = np.where(normal.std(axis=0) > 0, normal.std(axis=0), 1.0)
        least = float(np.min(degrees[spreads > 0], initial=np.inf))
        chi = random.chisquare(least, (DRAWS, 1)) / least if np.isfinite(least) and least >= 1 else 1.0
        return np.abs(normal / scales) / np.sqrt(chi)


def crossed_rows(values: ArrayLike, parts: Numbers, people: ArrayLike, prompts: ArrayLike) -> CrossedRows:
    """Rows with these figures from each answer's part in them (answers × rows), its person and its prompt."""
    persons, questions = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (people, prompts))
    cells = np.unique(persons * (questions.max(initial=0) + 1) + questions, return_inverse=True)[1]
    return CrossedRows(np.asarray(values, float), *(_part(parts, labels) for labels in (persons, questions, cells)))


def _part(parts: Numbers, labels: NDArray[np.intp]) -> FactorCovariance:
    """The covariance over clusters, m / (m - 1) times the sum of squares.

    The number of clusters m is Kish's effective one for the answers in each (1965, Survey Sampling, 11.7).
    """
    sizes = np.bincount(labels)
    sums = np.zeros((len(sizes), parts.shape[1]))
    np.add.at(sums, labels, parts)
    number = float(sizes.sum() ** 2 / (sizes @ sizes)) if len(sizes) else 0.0
    if number <= 1:
        return FactorCovariance(np.zeros((parts.shape[1],) * 2), 0.0)
    return FactorCovariance(sums.T @ sums * number / (number - 1), number - 1)
