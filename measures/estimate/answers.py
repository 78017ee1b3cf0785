"""The figure of a model's answers: its score, its interval, and its test against guessing, which always agree."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.comparing.comparison import guessed_as_well
from measures.figures import LEVEL, Figure
from measures.shares.crossed import Dependence, sharing
from measures.shares.intervals import clustered_sums, mean_of_points, rejected_at

Column = NDArray[np.float64]


def pair_labels(first: Column, second: Column) -> Column | None:
    """The `labels` of rows that are each about these two clips; None where no row has two: then all are independent."""
    return None if (first == second).all() else np.stack([first, second], axis=1)


def estimate(
    totals: Column, sizes: Column, labels: Column | None = None, *, chance: float | None = None, is_points: bool = False
) -> Figure | None:
    """The figure of rows of answers, from their sums and numbers; None without answers.

    Each row is independent of the others, unless `labels` name the clip, or the two clips (n, 2), that rows share.
    `is_points` tells a referee's points from right and wrong.
    """
    known = sizes > 0
    totals, sizes = totals[known], sizes[known]
    if not len(sizes):
        return None
    shared = None if labels is None else labels[known]
    dependence = None if shared is None else sharing(shared)
    n = int(sizes.sum())
    ends = mean_of_points if is_points else clustered_sums
    found = Figure(
        float(totals.sum()) / n,
        n,
        len(sizes) if shared is None else len(np.unique(shared)),
        ends(totals, sizes, 0.95, dependence),
    )
    return found if chance is None else _tested(found, totals, sizes, dependence, chance, is_points=is_points)


def share_of(values: ArrayLike, labels: ArrayLike, *, answers: int = 1) -> Figure:
    """The figure of values from 0 to 1, at least one, each the mean of so many answers; `labels` as in `estimate`."""
    sizes = np.full(np.shape(values)[0], float(answers))
    found = estimate(np.asarray(values, float) * sizes, sizes, np.asarray(labels))
    assert found is not None, "at least one value"
    return found


def _tested(
    found: Figure, totals: Column, sizes: Column, dependence: Dependence | None, chance: float, *, is_points: bool
) -> Figure:
    """The figure with p, and its interval, which reaches chance where p does not reject it.

    Otherwise p is that of the interval, except for single answers: they have an exact test, which is stricter with few.
    """
    if is_points:
        p = rejected_at(partial(mean_of_points, totals, sizes), chance)
    else:
        p = guessed_as_well(totals, sizes, chance, dependence)
    interval = found.interval if p < LEVEL else found.interval.reaching(chance)
    return Figure(found.score, found.n, found.clips, interval, p, chance)
