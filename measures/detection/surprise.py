"""Figures of prediction models from the surprise of each clip (`measures.scores.clip_surprise`).

The formulas are those of Garrido et al. (arXiv 2502.11831): a pair is ordered right if the possible clip's mean (or
largest) surprise is below the impossible one's; ties count as wrong. Absolute accuracy calls a clip impossible if its
largest surprise is above the 90th percentile of the possible clips' maxima. AUROC and AUPRC take the impossible clips
as positive.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.detection.roc import area_of
from measures.figures import Interval
from measures.scores.clip_surprise import ClipSurprise
from measures.shares.intervals import wilson

PERCENTILE = 90  # of the possible clips' maxima: the threshold of absolute accuracy
Column = NDArray[np.float64]


@dataclass(frozen=True)
class SurpriseFigures:
    """Figures over pairs of a possible and an impossible clip; shares are 0 to 1."""

    pairs: int
    relative_mean: float
    relative_mean_interval: Interval
    relative_most: float
    relative_most_interval: Interval
    absolute_most: float
    area_mean: float
    area_most: float
    precision_mean: float
    precision_most: float


def figures_of_pairs(pairs: Sequence[tuple[ClipSurprise, ClipSurprise]]) -> SurpriseFigures | None:
    """The figures; None without pairs."""
    if not pairs:
        return None
    mean = np.array([[one.mean for one in pair] for pair in pairs])
    most = np.array([[one.most for one in pair] for pair in pairs])
    if not (np.isfinite(mean).all() and np.isfinite(most).all()):
        raise ValueError("a surprise is not a finite number")
    count, right = len(pairs), [int((table[:, 0] < table[:, 1]).sum()) for table in (mean, most)]
    return SurpriseFigures(
        pairs=count,
        relative_mean=right[0] / count,
        relative_mean_interval=wilson(right[0], count),
        relative_most=right[1] / count,
        relative_most_interval=wilson(right[1], count),
        absolute_most=absolute_accuracy(most[:, 0], most[:, 1]),
        area_mean=area(mean),
        area_most=area(most),
        precision_mean=average_precision(mean),
        precision_most=average_precision(most),
    )


def absolute_accuracy(possible: ArrayLike, impossible: ArrayLike) -> float:
    """The share of clips on the right side of the possible clips' 90th percentile; a value on it is not above."""
    low, high = np.asarray(possible, float), np.asarray(impossible, float)
    threshold = np.percentile(low, PERCENTILE)
    return float(np.concatenate([low <= threshold, high > threshold]).mean())


def area(table: Column) -> float:
    """Area under the ROC curve of two columns, possible and impossible, over all clips."""
    return area_of(table.T.ravel(), np.repeat([False, True], len(table)))[0]


def average_precision(table: Column) -> float:
    """Sum of precision × gain in recall over the thresholds, highest first; equal values share a threshold."""
    values = table.T.ravel()
    positive = np.repeat([False, True], len(table))
    order = np.argsort(-values, kind="stable")
    values, positive = values[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    hits = np.cumsum(positive)[last]
    recall = hits / positive.sum()
    return float((np.diff(recall, prepend=0.0) * hits / (last + 1)).sum())
