"""Cells of a board, computed from tallies: score, n, interval, unparsed share, bias and test against chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.standings.tallies import ClipTally, Tallies
from measures.bounded_scores import mean_of_points
from measures.comparison import guessed_as_well
from measures.crossed import Dependence, sharing
from measures.intervals import LEVEL, Interval, clustered_sums, rejected_at
from measures.signal_detection import detection

StoredCell = dict[str, Any]
Column = NDArray[np.float64]
Ends = Callable[[Column, Column, float, Dependence | None], Interval]  # of totals, sizes, level and dependence


@dataclass(frozen=True)
class UnstoredStanding:
    """The values of a standing that is not stored yet."""

    split: str
    kind: str
    name: str
    strategy: str
    condition: str
    overall: StoredCell
    cells: dict[str, dict[str, StoredCell]]
    revision: str = ""
    identity: str = ""
    extremes: bytes | None = None  # leaderboard/standings/score_extremes.py; with a run's own split
    item_scores: Mapping[str, bytes] = field(default_factory=dict)  # by dimension; with a run's own split


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def cell_in(stored: StoredCell | None, *, dimension: str, caution: str) -> StoredCell | None:
    """The part of a stored cell for one dimension ('' = all) and with the items under caution in or out."""
    if stored is not None and dimension:
        stored = stored.get("dimensions", {}).get(dimension)
    if stored is not None and caution == "out" and "careful" in stored:
        stored = stored["careful"]
    return None if stored is None or stored["score"] is None else stored


def cell_of(
    tallies: Sequence[ClipTally[float]] | Tallies,
    chance: float | None = None,
    guessing: float | None = None,
    *,
    is_points: bool = False,
) -> StoredCell:
    """One cell, clustered by clip or dyad since questions about it are not independent; p tests against `guessing`.

    The interval leaves `guessing` out just if p is below 0.05: see `_tested`. Points of a referee have their own kind
    of interval, and are marked.
    """
    table = np.asarray(tallies, float).reshape(-1, len(ClipTally._fields))
    sums, columns = ClipTally(*table.sum(axis=0).tolist()), ClipTally(*table.T)
    labels = _dyads(columns)
    share_of = partial(_share_of, labels=labels, ends=mean_of_points if is_points else clustered_sums)
    whole = share_of(columns.total, columns.n)
    tested = {} if guessing is None or not sums.n else _tested(whole, columns, guessing, labels, is_points=is_points)
    return {
        **whole,
        **tested,
        **({"points": True} if is_points else {}),
        "clips": len(table) if labels is None else len(np.unique(labels)),
        "unread": share(sums.unread, sums.n),
        "chance": chance,
        # Absent if no reply has a known example.
        **({"repeats": sums.repeats / sums.exampled} if sums.exampled else {}),
        **_bias_of(sums, columns, share_of),
    }


def _dyads(columns: ClipTally[Column]) -> Column | None:
    """The labels of the rows; None where each row is a cluster of its own."""
    return None if (columns.first == columns.second).all() else np.stack([columns.first, columns.second], axis=1)


def _tested(
    whole: StoredCell, columns: ClipTally[Column], guessing: float, labels: Column | None, *, is_points: bool
) -> StoredCell:
    """p against guessing, and the interval, which reaches guessing where p does not reject it.

    Otherwise p is that of the interval, except for single answers: they have an exact test, which is stricter with few.
    """
    if is_points:
        p = rejected_at(partial(mean_of_points, columns.total, columns.n), guessing)
    else:
        dependence = None if labels is None else sharing(labels)
        p = guessed_as_well(columns.total, columns.n, guessing, dependence)
    own = Interval(whole["low"], whole["high"])
    interval = own if p < LEVEL else own.reaching(guessing)
    return {"low": interval.low, "high": interval.high, "p": p, "guessing": guessing}


def _share_of(totals: Column, sizes: Column, *, labels: Column | None, ends: Ends) -> StoredCell:
    """Score, n and interval over these clips or dyads."""
    n, known = int(sizes.sum()), sizes > 0
    interval = ends(totals[known], sizes[known], 0.95, None if labels is None else sharing(labels[known]))
    low, high = (interval.low, interval.high) if n else (None, None)
    return {"score": share(float(totals.sum()), n), "n": n, "low": low, "high": high}


def _bias_of(sums: ClipTally[float], columns: ClipTally[Column], share_of: Callable[..., StoredCell]) -> StoredCell:
    """Yes rate, signal detection and the scores by correct answer; empty without yes/no questions."""
    if not sums.yes_no:
        return {}
    alarms = sums.yes - sums.positive_total
    return {
        "yes": sums.yes / sums.yes_no,
        # An unparsed reply does not count as yes: it lowers hits and false alarms alike.
        **sensitivity(sums.positive_total, sums.positive_n, alarms, sums.negative_n),
        "positive": share_of(columns.positive_total, columns.positive_n),
        "negative": share_of(columns.negative_total, columns.negative_n),
    }


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as fields of a cell; empty if one kind of question is missing."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


Chances = Mapping[tuple[str, str], float]  # facet and value -> the score of guessing, 0 to 1
