"""How far a judge's ratings agree with people's: clip by clip, and in the order of the generators."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import LEVEL, Interval
from measures.ratings.crossed_rows import CrossedRows

DRAWS, SEED = 4_000, 20_260_606
FEWEST_ROWS = 4

Numbers = NDArray[np.float64]


def ordinal_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha of ratings whose steps have an order but no width (Krippendorff 2011, ordinal data).

    `units` are the ratings of each thing; things with one rating are left out. None if all ratings are equal.
    """
    pairable = [list(values) for values in units if len(values) >= 2]
    steps = sorted({value for values in pairable for value in values})
    if len(steps) < 2:
        return None
    together = np.zeros((len(steps), len(steps)))
    for values in pairable:
        counts = np.bincount([steps.index(value) for value in values], minlength=len(steps)).astype(float)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)
    totals = together.sum(axis=0)
    upto = np.cumsum(totals) - totals / 2  # ratings below the middle of a step
    distances = np.square(upto[:, None] - upto)
    expected = float((np.outer(totals, totals) * distances).sum()) / (totals.sum() - 1)
    return 1 - float((together * distances).sum()) / expected if expected else None


def quadratic_kappa(first: ArrayLike, second: ArrayLike) -> float | None:
    """Agreement of two columns of ratings beyond chance, weighted by squared distance (Cohen 1968, Psychological
    Bulletin 70).

    None if neither column varies.
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    if not len(one):
        return None
    expected = one.var() + other.var() + (one.mean() - other.mean()) ** 2
    return float(1 - np.square(one - other).mean() / expected) if expected > 0 else None


def pearson_r(first: ArrayLike, second: ArrayLike) -> float | None:
    """Pearson's r; None if either column doesn't vary."""
    one, other = np.asarray(first, float), np.asarray(second, float)
    if len(one) < 2 or one.std() == 0 or other.std() == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def share_within(first: ArrayLike, second: ArrayLike, steps: float) -> float | None:
    """The share of pairs at most so many steps apart."""
    distances = np.abs(np.asarray(first, float) - np.asarray(second, float))
    return float((distances <= steps).mean()) if len(distances) else None


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float | None:
    """Agreement of two orders of the same things, -1 to 1, with ties in either taken off (tau-b; Kendall 1945,
    Biometrika 33).

    None if either is all ties.
    """
    (tau,) = _taus(np.asarray([first], float), np.asarray([second], float))
    return None if np.isnan(tau) else float(tau)


def _taus(first: Numbers, second: Numbers) -> Numbers:
    """Tau-b of each pair of rows (rows × things); nan where either is all ties."""
    one, other = np.triu_indices(first.shape[1], 1)
    signs = [np.sign(column[:, one] - column[:, other]) for column in (first, second)]
    sizes = np.sqrt(np.square(signs[0]).sum(axis=1) * np.square(signs[1]).sum(axis=1))
    together = (signs[0] * signs[1]).sum(axis=1)
    return np.divide(together, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0)


def tau_interval(people: CrossedRows, judge: CrossedRows) -> Interval | None:
    """The interval of tau between the order by people and the order by a judge; None without a variance of either.

    Both orders are drawn anew from the rows' covariances. The noise of either lowers tau, so the interval errs on the
    low side: a judge is let through less easily.
    """
    random = np.random.default_rng(SEED)
    means = [_redrawn(rows, random) for rows in (people, judge)]
    return None if means[0] is None or means[1] is None else _ends(_taus(means[0], means[1]))


def _redrawn(rows: CrossedRows, random: np.random.Generator) -> Numbers | None:
    whole = rows.covariance
    if not np.any(whole):
        return None
    sizes, directions = np.linalg.eigh(whole)
    root = directions * np.sqrt(np.maximum(sizes, 0.0))
    return rows.values + random.standard_normal((DRAWS, len(rows.values))) @ root.T


def tau_over_rows(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """The interval of tau if only the rows' figures are known: rows are drawn anew (Efron 1979, Annals of Statistics
    7).

    None for fewer than four rows, or if either column is all ties.
    """
    if len(first) < FEWEST_ROWS or kendall_tau(first, second) is None:
        return None
    one, other = np.asarray(first, float), np.asarray(second, float)
    places = np.random.default_rng(SEED).integers(len(one), size=(DRAWS, len(one)))
    return _ends(_taus(one[places], other[places]))


def _ends(taus: Numbers) -> Interval:
    low, high = np.nanquantile(taus, [LEVEL / 2, 1 - LEVEL / 2])
    return Interval(float(low), float(high))
