"""Tallies in, the cell of a board out: score, n, interval, unread share and what else is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.tallies import ClipTally, Groups, Tallies
from measures.comparison import guessed_as_well
from measures.detection import detection
from measures.intervals import clustered_sums

StoredCell = dict[str, Any]
Column = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A standing before it is stored."""

    split: str
    kind: str
    name: str
    strategy: str
    condition: str
    overall: StoredCell
    cells: dict[str, dict[str, StoredCell]]
    revision: str = ""
    identity: str = ""
    extremes: bytes | None = None  # leaderboard/dividing.py; with a run's own split


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def cell_of(
    tallies: Sequence[ClipTally[float]] | Tallies, chance: float | None = None, guessing: float | None = None
) -> StoredCell:
    """One cell, clustered on the clip: its questions and seeds are not independent. `guessing` is tested against."""
    table = np.asarray(tallies, float).reshape(-1, len(ClipTally._fields))
    sums, columns = ClipTally(*table.sum(axis=0).tolist()), ClipTally(*table.T)
    return {
        **_share_of(columns.total, columns.n),
        "clips": len(table),
        "unread": share(sums.unread, sums.n),
        "chance": chance,
        **({} if guessing is None or not sums.n else {"p": guessed_as_well(columns.total, columns.n, guessing)}),
        # Nothing where no example is known.
        **({"repeats": sums.repeats / sums.exampled} if sums.exampled else {}),
        **_bias_of(sums, columns),
    }


def _share_of(totals: Column, sizes: Column) -> StoredCell:
    """Score, n and interval of these clips."""
    n = int(sizes.sum())
    interval = clustered_sums(totals, sizes)
    low, high = (interval.low, interval.high) if n else (None, None)
    return {"score": share(float(totals.sum()), n), "n": n, "low": low, "high": high}


def _bias_of(sums: ClipTally[float], columns: ClipTally[Column]) -> StoredCell:
    """How the two kinds of question fared apart; nothing where the questions are not yes or no."""
    if not sums.yes_no:
        return {}
    alarms = sums.yes - sums.positive_total
    return {
        "yes": sums.yes / sums.yes_no,
        # An unread reply is no yes: it lowers hits and false alarms alike.
        **sensitivity(sums.positive_total, sums.positive_n, alarms, sums.negative_n),
        "positive": _share_of(columns.positive_total, columns.positive_n),
        "negative": _share_of(columns.negative_total, columns.negative_n),
    }


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as a cell keeps them."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


Chances = Mapping[tuple[str, str], float]  # facet and value -> what guessing gets, 0 to 1


def cells_of(groups: Groups, chances: Chances, guessing: Chances) -> dict[str, dict[str, StoredCell]]:
    """facet -> value -> cell; `chances` are told with it, `guessing` is what it is tested against."""
    cells: dict[str, dict[str, StoredCell]] = {}
    for key, tallies in groups.items():
        name, value = key
        cells.setdefault(name, {})[value] = cell_of(tallies, chances.get(key), guessing.get(key))
    return cells
