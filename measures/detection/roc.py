"""Area under the ROC curve of a cross-validated classifier, with an interval for clustered observations.

The area is the probability that a positive observation scores above a negative one, ties counting half. It is computed
within each fold, whose scores come from one classifier, and averaged over the folds. Its variance is that of DeLong,
DeLong & Clarke-Pearson 1988 (Biometrics 44) within a fold, and across folds that of LeDell, Petersen & van der Laan
2015 (Electronic Journal of Statistics 9): the sum over the influences of all observations. Influences are first summed
within a cluster (Obuchowski 1997, Biometrics 53), so that two clips of one draw count as one observation.

This treats the classifiers as fixed. Near one half they are not: the direction in which a classifier leans is then
random and shared by all folds, and the areas vary up to 1.5 times as much. Nadeau & Bengio's correction (2003, Machine
Learning 52) allows for it: the variance is multiplied by 1 + K·n(test)/n(train), which is 1 + K/(K - 1) for K folds.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import Interval
from measures.shares.crossed import Dependence, spread
from measures.shares.intervals import t_quantile, wilson
from measures.shares.item_response import expit

NOTHING = 1e-9  # smaller differences are rounding error


@dataclass(frozen=True)
class Area:
    """An area from 0 to 1 with its standard error; `clusters` and `folds` give the degrees of freedom."""

    value: float
    error: float
    clusters: int
    folds: int

    @property
    def is_certain(self) -> bool:
        """Whether the standard error is 0: all clusters agree on the area."""
        return self.error < NOTHING

    def interval(self, level: float = 0.95) -> Interval:
        """value ± t·error on the scale of log odds, so that it stays within 0 and 1.

        If all clusters agree, an area of one half is exact, since the two clips of each pair score alike. Any other
        area gets Wilson's interval with the clusters as observations, since no variation was observed.
        """
        if self.is_certain or not NOTHING < self.value < 1 - NOTHING:
            return self._one_sided(level)
        half = t_quantile(level, self._freedom) * self.error / (self.value * (1 - self.value))
        middle = log(self.value / (1 - self.value))
        return Interval(*expit(np.array([middle - half, middle + half])).tolist())

    def p_value(self) -> float:
        """Two-sided p-value of the hypothesis that the area is one half (t-test)."""
        from scipy.special import stdtr  # as in `intervals.t_quantile`

        distance = abs(self.value - 0.5)
        if distance < NOTHING:
            return 1.0
        if self.is_certain:
            return float(min(1.0, 2 * 0.5**self.clusters))
        return float(2 * stdtr(self._freedom, -distance / self.error))

    @property
    def _freedom(self) -> int:
        return max(1, self.clusters - self.folds)

    def _one_sided(self, level: float) -> Interval:
        if abs(self.value - 0.5) < NOTHING:
            return Interval(0.5, 0.5)
        return wilson(self.value * self.clusters, self.clusters, level)


def cross_validated_area(
    scores: ArrayLike,
    positive: ArrayLike,
    folds: Sequence[Hashable],
    clusters: Sequence[Hashable],
    *,
    is_learnt: bool = True,
) -> Area:
    """Area of N scores for N labels, each scored by the classifier that was not trained on its fold.

    `is_learnt` is False for scores not fitted to the other folds. Raises ValueError for a cluster in two folds, and for
    a fold without both labels.
    """
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    _check(values, folds, clusters)
    names = list(dict.fromkeys(folds))
    of_fold = np.array([names.index(fold) for fold in folds])
    areas, variance = [], 0.0
    for number in range(len(names)):
        chosen = np.flatnonzero(of_fold == number)
        area, influence = _fold_area(values[chosen], truth[chosen])
        areas.append(area)
        variance += _clustered(influence, [clusters[int(index)] for index in chosen])
    count = len(names)
    if is_learnt and count > 1:
        variance *= 1 + count / (count - 1)
    return Area(float(np.mean(areas)), sqrt(variance) / count, len(set(clusters)), count)


def crossed_area(scores: ArrayLike, positive: ArrayLike, dependence: Dependence) -> Area:
    """Area of scores with the given dependence; raises ValueError unless both labels occur."""
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if not np.isfinite(values).all():
        raise ValueError("a score is not a number")
    area, influence = _fold_area(values, truth)
    found = spread(influence * len(values), np.ones(len(values)), dependence)
    return Area(area, sqrt(max(0.0, found.variance)), max(2, round(found.degrees) + 1), 1)


def _check(values: NDArray, folds: Sequence[Hashable], clusters: Sequence[Hashable]) -> None:
    if not np.isfinite(values).all():
        raise ValueError("a score is not a number")
    home: dict[Hashable, Hashable] = {}
    for fold, cluster in zip(folds, clusters, strict=True):
        if home.setdefault(cluster, fold) != fold:
            raise ValueError(f"cluster {cluster} lies in two folds")


def _fold_area(values: NDArray, truth: NDArray) -> tuple[float, NDArray]:
    """The area of one fold and the influence of each observation (DeLong's components over the number of its kind)."""
    high, low = values[truth], values[~truth]
    if not (len(high) and len(low)):
        raise ValueError("a fold needs observations of both kinds")
    of_high, of_low = _share_below(high, low), 1 - _share_below(low, high)
    area = float(of_high.mean())
    influence = np.empty(len(values))
    influence[truth] = (of_high - area) / len(high)
    influence[~truth] = (of_low - area) / len(low)
    return area, influence


def _share_below(values: NDArray, others: NDArray) -> NDArray:
    """For each value the share of the other values below it, ties counting half; there may be a million values."""
    ranked = np.sort(others)
    return (np.searchsorted(ranked, values, "left") + np.searchsorted(ranked, values, "right")) / (2 * len(others))


def _clustered(influence: NDArray, clusters: Sequence[Hashable]) -> float:
    numbers: dict[Hashable, int] = {}
    labels = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    totals, count = np.bincount(labels, weights=influence), len(numbers)
    return count / (count - 1) * float(totals @ totals) if count > 1 else 0.0


@dataclass(frozen=True)
class Detection:
    """`d_prime` is 0 for guessing and grows with sensitivity; a `criterion` above 0 leans to no, below 0 to yes."""

    d_prime: float
    criterion: float


def detection(hits: float, positives: float, false_alarms: float, negatives: float) -> Detection | None:
    """d' and criterion from yes answers to items whose answer is yes (`hits`) or no (`false_alarms`).

    d' = z(H) - z(F), c = -(z(H) + z(F)) / 2 with rates (hits + 0.5) / (positives + 1) and the like, which stay finite
    at 0 and 1 (Hautus 1995, Behavior Research Methods 27). None if one of the two kinds is missing. Raises ValueError
    if more answers are counted than questions.
    """
    if not (0 <= hits <= positives and 0 <= false_alarms <= negatives):
        raise ValueError(f"{hits} yes to {positives} and {false_alarms} yes to {negatives} questions can't be")
    if positives <= 0 or negatives <= 0:
        return None
    normal = NormalDist()
    hit, alarm = normal.inv_cdf((hits + 0.5) / (positives + 1)), normal.inv_cdf((false_alarms + 0.5) / (negatives + 1))
    return Detection(hit - alarm, -(hit + alarm) / 2)
