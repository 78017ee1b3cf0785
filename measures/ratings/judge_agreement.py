"""How far a judge's ratings agree with people's: clip by clip, and in the order of the generators."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import LEVEL, Interval

DRAWS, SEED = 4_000, 20_260_606
FEWEST_ROWS = 4

Numbers = NDArray[np.float64]


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


def tau_over_rows(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """The interval of tau if only the rows' figures are known: rows are drawn anew (Efron 1979, Annals of Statistics
    7).

    None for fewer than four rows, or if either column is all ties.
    """
    if len(first) < FEWEST_ROWS or kendall_tau(first, second) is None:
        return None
    one, other = np.asarray(first, float), np.asarray(second, float)
    places = np.random.default_rng(SEED).integers(len(one), size=(DRAWS, len(one)))
    low, high = np.nanquantile(_taus(one[places], other[places]), [LEVEL / 2, 1 - LEVEL / 2])
    return Interval(float(low), float(high))
