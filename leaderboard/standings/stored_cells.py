"""Cells of a board, computed from tallies: score, n, interval, unread share, bias and test against chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.standings.tallies import ClipTally, Tallies
from measures.comparison import guessed_as_well
from measures.intervals import clustered_sums
from measures.signal_detection import detection

StoredCell = dict[str, Any]
Column = NDArray[np.float64]


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
    tallies: Sequence[ClipTally[float]] | Tallies, chance: float | None = None, guessing: float | None = None
) -> StoredCell:
    """One cell, clustered on clips since questions about a clip are not independent; p tests against `guessing`."""
    table = np.asarray(tallies, float).reshape(-1, len(ClipTally._fields))
    sums, columns = ClipTally(*table.sum(axis=0).tolist()), ClipTally(*table.T)
    return {
        **_share_of(columns.total, columns.n),
        "clips": len(table),
        "unread": share(sums.unread, sums.n),
        "chance": chance,
        **({} if guessing is None or not sums.n else {"p": guessed_as_well(columns.total, columns.n, guessing)}),
        # Absent if no reply has a known example.
        **({"repeats": sums.repeats / sums.exampled} if sums.exampled else {}),
        **_bias_of(sums, columns),
    }


def _share_of(totals: Column, sizes: Column) -> StoredCell:
    """Score, n and interval over these clips."""
    n = int(sizes.sum())
    interval = clustered_sums(totals, sizes)
    low, high = (interval.low, interval.high) if n else (None, None)
    return {"score": share(float(totals.sum()), n), "n": n, "low": low, "high": high}


def _bias_of(sums: ClipTally[float], columns: ClipTally[Column]) -> StoredCell:
    """Yes rate, signal detection and the scores by correct answer; empty without yes/no questions."""
    if not sums.yes_no:
        return {}
    alarms = sums.yes - sums.positive_total
    return {
        "yes": sums.yes / sums.yes_no,
        # An unread reply does not count as yes: it lowers hits and false alarms alike.
        **sensitivity(sums.positive_total, sums.positive_n, alarms, sums.negative_n),
        "positive": _share_of(columns.positive_total, columns.positive_n),
        "negative": _share_of(columns.negative_total, columns.negative_n),
    }


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as fields of a cell; empty if one kind of question is missing."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


Chances = Mapping[tuple[str, str], float]  # facet and value -> what guessing gets, 0 to 1
