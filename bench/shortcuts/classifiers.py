"""Classifiers that are trained on some pairs of clips and score the others with probabilities of `implausible`.

Several classifiers have the same input: a linear one for additive effects, and trees for interactions. Their
probabilities are averaged, so that nobody can choose the better one afterwards.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from leaderboard.audits import learners
from measures.roc import EXACTLY_HALF, Area, cross_validated_area

FOLDS = 5
DIGITS = 6  # of a score; smaller differences are rounding errors

Learner = Callable[[NDArray, NDArray, NDArray], NDArray]
"""(clips to learn from, their answers, clips to score) -> a probability for each of the latter."""


def area_of(learners: Sequence[Learner], seen: NDArray, implausible: NDArray, pair: NDArray) -> tuple[Area, int]:
    """The area of the averaged learners, and the number of pairs whose two clips have different input.

    Both clips of a pair are in the same fold. If the two clips of every pair look alike, nothing is trained: their
    scores would be equal, and the area is one half.
    """
    differing = _differing(seen, implausible, pair)
    if not differing:
        return EXACTLY_HALF, 0
    folds = fold_of(pair)
    scores = np.zeros(len(seen))
    for fold in range(FOLDS):
        learn, held = folds != fold, folds == fold
        found = [learner(seen[learn], implausible[learn], seen[held]) for learner in learners]
        scores[held] = np.mean(found, axis=0)
    return cross_validated_area(scores.round(DIGITS), implausible, list(folds), list(pair)), differing


def fold_of(pair: NDArray) -> NDArray:
    """The fold of each clip; pairs are shuffled, then dealt out."""
    names = np.unique(pair)
    place = np.empty(len(names), dtype=int)
    place[np.random.default_rng(0).permutation(len(names))] = np.arange(len(names))
    return place[np.searchsorted(names, pair)] % FOLDS


def logistic(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    return learners.logistic().fit(learn, answers).predict_proba(held)[:, 1]


def trees(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    return learners.trees().fit(learn, answers).predict_proba(held)[:, 1]


def components(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    """Logistic regression on the first 24 principal components of the frames."""
    flat, held_flat = (part.reshape(len(part), -1).astype(np.float32) / 255 for part in (learn, held))
    return learners.components(len(flat)).fit(flat, answers).predict_proba(held_flat)[:, 1]


def _differing(seen: NDArray, implausible: NDArray, pair: NDArray) -> int:
    first = seen[~implausible][np.argsort(pair[~implausible])]
    second = seen[implausible][np.argsort(pair[implausible])]
    return int((first != second).reshape(len(first), -1).any(axis=1).sum())
