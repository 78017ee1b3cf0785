"""Tests whether cross-validated guesses agree with the answers more than by chance, given their frequencies."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.estimate.answers import share_of
from measures.shares.crossed import sharing, spread

FOLDS = 5


@dataclass(frozen=True)
class BlindResult:
    """Accuracy of guesses with its interval, their agreement by chance, and the p-value of the excess."""

    n: int
    clusters: int
    accuracy: float
    low: float
    high: float
    expected: float
    p: float


def standardised(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each column's distances to its mean in its standard deviations, shape as given; 0 where all values are equal."""
    return (columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-9)


def fold_of(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fold of each item; clusters are shuffled, then dealt out, so that no cluster is in two folds."""
    names, numbers = np.unique(clusters, return_inverse=True)
    place = np.empty(len(names), np.int64)
    place[np.random.default_rng(0).permutation(len(names))] = np.arange(len(names))
    return place[numbers] % FOLDS


def tested_guesses(guesses: ArrayLike, answers: ArrayLike, labels: ArrayLike, folds: ArrayLike) -> BlindResult:
    """One-sided test of the guesses against independence from the answers.

    Uninformed guesses agree with the answers of a fold as often as the frequencies of both predict, as in Cohen's
    kappa. The excess is tested by cluster. The variance has Nadeau & Bengio's factor (2003, Machine Learning 52) for
    the variance that learning adds: 1 + K·n(test)/n(train), which is 1 + K/(K - 1) for K folds.
    """
    predicted, truth, parts = np.asarray(guesses), np.asarray(answers), np.asarray(folds)
    right = (predicted == truth).astype(float)
    by_chance = np.zeros(len(right))
    for fold in np.unique(parts):
        own = parts == fold
        by_chance[own] = sum(
            (predicted[own] == one).mean() * (truth[own] == one).mean()
            for one in np.union1d(predicted[own], truth[own])
        )
    p = _p_of(right - by_chance, np.asarray(labels), is_learnt=True)
    return _result(right, float(by_chance.mean()), np.asarray(labels), p)


def tested_constant_guess(share: float, guesses: ArrayLike, answers: ArrayLike, labels: ArrayLike) -> BlindResult:
    """One-sided test of the guesses against a fixed share of right ones, for guesses that are all the same."""
    right = (np.asarray(guesses) == np.asarray(answers)).astype(float)
    return _result(right, share, np.asarray(labels), _p_of(right - share, np.asarray(labels), is_learnt=False))


def _result(right: NDArray[np.float64], expected: float, labels: NDArray[np.int64], p: float) -> BlindResult:
    found = share_of(right, labels if labels.ndim == 1 else labels[:, 0])
    return BlindResult(found.n, found.clips, found.score, found.interval.low, found.interval.high, expected, p)


def _p_of(excess: NDArray[np.float64], labels: NDArray[np.int64], *, is_learnt: bool) -> float:
    from scipy.special import stdtr  # as in `measures.shares.intervals.t_quantile`

    mean = float(excess.mean())
    found = spread(excess - mean, np.ones(len(excess)), sharing(labels))
    if found.degrees <= 0 or mean <= 0:
        return 1.0
    variance = found.variance * (1 + FOLDS / (FOLDS - 1) if is_learnt else 1.0)
    # Guesses that are all right have no variance: use that of one wrong cluster, which chance may have hidden.
    least = (1 / max(2.0, found.levels)) ** 2
    return float(stdtr(max(1.0, found.degrees), -mean / np.sqrt(max(variance, least))))
