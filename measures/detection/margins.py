"""Figures from log-probabilities of two options: area under the ROC curve, d', Brier score, calibration.

A *margin* is that of `log_probabilities`; 1 / (1 + exp(-margin)) is the probability of yes. Intervals count
observations of one clip as one: influences are summed within a cluster, as in `measures.detection.roc`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.detection.roc import Area, clustered_area, clustered_variance, crossed_area
from measures.figures import Interval
from measures.shares.crossed import either, sharing
from measures.shares.intervals import t_quantile, wilson
from measures.shares.item_response import expit

BINS = 10  # of the calibration curve, equally wide
Column = NDArray[np.float64]


@dataclass(frozen=True)
class FigureWithEnds:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CalibrationBin:
    """Answers with a probability of yes between `start` and `end`: their mean probability, and the share of yes."""

    start: float
    end: float
    n: int
    probability: float
    share: float
    interval: Interval


@dataclass(frozen=True)
class MarginFigures:
    """Figures of N margins; `error` is the expected calibration error, the bins' mean distance from the diagonal."""

    n: int
    positives: int
    accuracy: float  # at probability one half; a margin of 0 is wrong
    area: FigureWithEnds
    d_prime: FigureWithEnds
    criterion: FigureWithEnds
    brier: FigureWithEnds
    error: float
    bins: tuple[CalibrationBin, ...]


def figures_of_margins(margins: ArrayLike, positive: ArrayLike, clusters: ArrayLike) -> MarginFigures | None:
    """The figures of these margins; None unless items of both answers exist. Raises ValueError for NaN."""
    values, truth = np.asarray(margins, float), np.asarray(positive, bool)
    if not np.isfinite(values).all():
        raise ValueError("a margin is not a finite number")
    if not truth.any() or truth.all():
        return None
    labels = np.unique(np.asarray(clusters), return_inverse=True)[1]
    probability = expit(values)
    bins = calibration(probability, truth)
    d_prime, criterion = detection_estimates(values, truth, labels)
    return MarginFigures(
        n=len(values),
        positives=int(truth.sum()),
        accuracy=float(np.where(truth, values > 0, values < 0).mean()),
        area=_with_ends(clustered_area(values, truth, labels)),
        d_prime=d_prime,
        criterion=criterion,
        brier=_share((probability - truth) ** 2, labels),
        error=sum(one.n * abs(one.probability - one.share) for one in bins) / len(values),
        bins=bins,
    )


def area_of_confidence(
    truth: Sequence[bool], ratings: Sequence[int], people: Sequence[str], items: Sequence[int]
) -> FigureWithEnds:
    """The area under the ROC curve of people's confidence in yes, negative in no, with people and items as samples."""
    return _with_ends(crossed_area(ratings, truth, either(sharing(people), sharing(items))))


def _with_ends(area: Area) -> FigureWithEnds:
    ends = area.interval()
    return FigureWithEnds(area.value, ends.low, ends.high)


def detection_estimates(
    values: Column, truth: NDArray[np.bool_], labels: NDArray[np.int64]
) -> tuple[FigureWithEnds, ...]:
    """d' and criterion at margin 0 (rates as in `signal_detection`), with intervals by the delta method.

    A rate H moves z(H) by 1 / phi(z(H)), so an answer's influence on z(H) is its distance from H over n·phi(z(H)).
    """
    says_yes = (values > 0).astype(float)
    normal, influence, quantiles = NormalDist(), np.zeros((2, len(values))), []
    for row, chosen in enumerate((truth, ~truth)):
        n = int(chosen.sum())
        rate = (float(says_yes[chosen].sum()) + 0.5) / (n + 1)
        quantiles.append(normal.inv_cdf(rate))
        influence[row, chosen] = (says_yes[chosen] - says_yes[chosen].mean()) / (n * normal.pdf(quantiles[-1]))
    (hit, alarm), (of_hit, of_alarm) = quantiles, influence
    return (
        _with_interval(hit - alarm, of_hit - of_alarm, labels),
        _with_interval(-(hit + alarm) / 2, -(of_hit + of_alarm) / 2, labels),
    )


def calibration(probability: Column, truth: NDArray[np.bool_]) -> tuple[CalibrationBin, ...]:
    """The non-empty bins, in their order."""
    places = np.searchsorted(
        np.linspace(0, 1, BINS + 1)[1:-1], probability
    )  # an edge belongs to the lower bin, as in scikit-learn
    found = []
    for number in np.unique(places):
        chosen = places == number
        n, yes = int(chosen.sum()), float(truth[chosen].sum())
        mean = float(probability[chosen].mean())
        found.append(CalibrationBin(number / BINS, (number + 1) / BINS, n, mean, yes / n, wilson(yes, n)))
    return tuple(found)


def _share(values: Column, labels: NDArray[np.int64]) -> FigureWithEnds:
    mean = float(values.mean())
    found = _with_interval(mean, (values - mean) / len(values), labels)
    return FigureWithEnds(mean, max(0.0, found.low), min(1.0, found.high))


def _with_interval(value: float, influence: Column, labels: NDArray[np.int64]) -> FigureWithEnds:
    count = int(labels.max()) + 1
    if count < 2:
        return FigureWithEnds(value, -math.inf, math.inf)
    half = t_quantile(0.95, count - 1) * math.sqrt(clustered_variance(influence, labels))
    return FigureWithEnds(value, value - half, value + half)
