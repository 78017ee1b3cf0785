"""How far people who rate the same clips agree: clip by clip, and in the order of the rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.shares.agreement import rank_correlation

SPLITS, SEED = 200, 20_260_606


def ordinal_alpha(values: ArrayLike, units: ArrayLike) -> float | None:
    """Krippendorff's alpha of ordered steps (Krippendorff 2011, ordinal data): 1 is perfect, 0 is chance.

    `units` name the clip of each rating; clips with one rating are left out. None if all ratings are equal.
    """
    steps, step = np.unique(np.asarray(values), return_inverse=True)
    clips, clip = np.unique(np.asarray(units), return_inverse=True)
    counts = np.zeros((len(clips), len(steps)))
    np.add.at(counts, (clip, step), 1)
    counts = counts[counts.sum(axis=1) >= 2]
    totals = counts.sum(axis=0)
    if (totals > 0).sum() < 2:
        return None
    weights = counts / (counts.sum(axis=1, keepdims=True) - 1)
    observed = weights.T @ counts - np.diag(weights.sum(axis=0))
    middles = np.cumsum(totals) - totals / 2
    distances = np.square(middles[:, None] - middles)
    expected = np.outer(totals, totals) / (totals.sum() - 1)
    return float(1 - (observed * distances).sum() / (expected * distances).sum())


def split_half(values: ArrayLike, rows: ArrayLike, people: ArrayLike) -> float | None:
    """Spearman's rho of the rows' means by two random halves of the people, the mean over many splits.

    None with fewer than four people or three rows, or if a half's means are all equal.
    """
    known, row = np.asarray(values, float), np.unique(np.asarray(rows), return_inverse=True)[1]
    persons, person = np.unique(np.asarray(people), return_inverse=True)
    number = row.max(initial=-1) + 1
    if len(persons) < 4 or number < 3:
        return None
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(SPLITS):
        is_first = (random.permutation(len(persons)) % 2 == 0)[person]
        parts = [_means(known[half], row[half], number) for half in (is_first, ~is_first)]
        both = ~np.isnan(parts[0] + parts[1])
        rho = rank_correlation(parts[0][both].tolist(), parts[1][both].tolist())
        found += [] if rho is None else [rho]
    return float(np.mean(found)) if found else None


def _means(values: NDArray[np.float64], rows: NDArray[np.int64], number: int) -> NDArray[np.float64]:
    """The mean of each row's values; nan where it has none."""
    counts, sums = np.bincount(rows, minlength=number), np.bincount(rows, values, number)
    return np.divide(sums, counts, out=np.full(number, np.nan), where=counts > 0)
