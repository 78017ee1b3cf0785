"""Cells of a board, computed from tallies: score, n, interval, unparsed share, bias and test against chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks.packs.item_arrays import ALL, Mask, PackFacts
from leaderboard.standings.tallies import ClipTally, Tallies
from measures.estimate import Column, detection, estimate, pair_labels
from measures.figures import Figure

StoredCell = dict[str, Any]
DIGITS = 6  # of figures beside the score


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

    Points of a referee have their own kind of interval, and are marked.
    """
    table = np.asarray(tallies, float).reshape(-1, len(ClipTally._fields))
    sums, columns = ClipTally(*table.sum(axis=0).tolist()), ClipTally(*table.T)
    figure_of = partial(estimate, labels=pair_labels(columns.first, columns.second), is_points=is_points)
    whole = figure_of(columns.total, columns.n, chance=guessing)
    return {
        **_stored(whole),
        **({} if whole is None or whole.p is None else {"p": whole.p, "guessing": whole.chance}),
        **({"points": True} if is_points else {}),
        "clips": whole.clips if whole else 0,
        "unread": share(sums.unread, sums.n),
        "chance": chance,
        # Absent if no reply has a known example.
        **({"repeats": sums.repeats / sums.exampled} if sums.exampled else {}),
        **_bias_of(sums, columns, figure_of),
    }


def _stored(figure: Figure | None) -> StoredCell:
    """Score, n and interval as fields of a cell."""
    if figure is None:
        return {"score": None, "n": 0, "low": None, "high": None}
    return {"score": figure.score, "n": figure.n, "low": figure.interval.low, "high": figure.interval.high}


def _bias_of(sums: ClipTally[float], columns: ClipTally[Column], figure_of: Callable[..., Figure | None]) -> StoredCell:
    """Yes rate, signal detection and the scores by correct answer; empty without yes/no questions."""
    if not sums.yes_no:
        return {}
    alarms = sums.yes - sums.positive_total
    return {
        "yes": sums.yes / sums.yes_no,
        # An unparsed reply does not count as yes: it lowers hits and false alarms alike.
        **sensitivity(sums.positive_total, sums.positive_n, alarms, sums.negative_n),
        "positive": _stored(figure_of(columns.positive_total, columns.positive_n)),
        "negative": _stored(figure_of(columns.negative_total, columns.negative_n)),
    }


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as fields of a cell; empty if one kind of question is missing."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


def rounded(value: Any) -> Any:
    """Figures as JSON, rounded to `DIGITS`; an unknown end of an interval is None."""
    if isinstance(value, Mapping):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    if isinstance(value, float):
        return round(value, DIGITS) if np.isfinite(value) else None
    return value


def by_value(
    figures_of: Callable[[Mask], StoredCell | None], facts: PackFacts, groups: Sequence[str], split: str
) -> StoredCell:
    """The figures on this split: over all its items, and by each value of these facets that has any."""
    within = facts.with_facet("split", split)
    parts = {
        name: {value: figures_of(within & facts.with_facet(name, value)) for value in facts.values_of(name)}
        for name in groups
    }
    known = {name: {value: part for value, part in values.items() if part} for name, values in parts.items()}
    return {ALL: figures_of(within), **known}
