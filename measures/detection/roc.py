"""Area under the ROC curve with an interval for clustered or crossed observations; d' and criterion of yes and no.

The area is the probability that a positive observation scores above a negative one, ties counting half. Its variance is
that of DeLong, DeLong & Clarke-Pearson 1988 (Biometrics 44): the sum over the influences of all observations, which are
first summed within a cluster (Obuchowski 1997, Biometrics 53), so that two clips of one draw count as one observation.
"""

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
    """An area from 0 to 1 with its standard error; `clusters` give the degrees of freedom."""

    value: float
    error: float
    clusters: int

    def interval(self) -> Interval:
        """value ± t·error on the scale of log odds, so that it stays within 0 and 1.

        If all clusters agree, an area of one half is exact, since the two clips of each pair score alike. Any other
        area gets Wilson's interval with the clusters as observations, since no variation was observed.
        """
        if self.error >= NOTHING and NOTHING < self.value < 1 - NOTHING:
            half = t_quantile(0.95, max(1, self.clusters - 1)) * self.error / (self.value * (1 - self.value))
            middle = log(self.value / (1 - self.value))
            return Interval(*expit(np.array([middle - half, middle + half])).tolist())
        if abs(self.value - 0.5) < NOTHING:
            return Interval(0.5, 0.5)
        return wilson(self.value * self.clusters, self.clusters)


def clustered_area(scores: ArrayLike, positive: ArrayLike, labels: NDArray[np.int64]) -> Area:
    """Area of scores whose clusters are numbered from 0."""
    area, influence = area_of(scores, positive)
    return Area(area, sqrt(clustered_variance(influence, labels)), int(labels.max()) + 1)


def crossed_area(scores: ArrayLike, positive: ArrayLike, dependence: Dependence) -> Area:
    """Area of scores with the given dependence."""
    area, influence = area_of(scores, positive)
    found = spread(influence * len(influence), np.ones(len(influence)), dependence)
    return Area(area, sqrt(max(0.0, found.variance)), max(2, round(found.degrees) + 1))


def area_of(scores: ArrayLike, positive: ArrayLike) -> tuple[float, NDArray[np.float64]]:
    """The area and the influence of each observation (DeLong's components over the number of its kind).

    Raises ValueError unless all scores are finite and both labels occur.
    """
    values, truth = np.asarray(scores, float), np.asarray(positive, bool)
    if not np.isfinite(values).all():
        raise ValueError("a score is not a number")
    high, low = values[truth], values[~truth]
    if not (len(high) and len(low)):
        raise ValueError("an area needs observations of both kinds")
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


def clustered_variance(influence: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The variance of a sum of influences in clusters, which are numbered from 0; 0 for a single one."""
    totals = np.bincount(labels, weights=influence)
    count = len(totals)
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
