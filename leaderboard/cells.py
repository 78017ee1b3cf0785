"""Tallies in, the cell of a board out: score, n, interval, unread share and what else is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.tallies import ClipTally, Groups
from measures.comparison import differs_from_guessing
from measures.detection import detection
from measures.intervals import Tally, clustered_tallies

StoredCell = dict[str, Any]


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


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def cell_of(tallies: Sequence[ClipTally], chance: float | None = None, guessing: float | None = None) -> StoredCell:
    """One cell, clustered on the clip: its questions and seeds are not independent. `guessing` is tested against."""
    n = sum(tally.n for tally in tallies)
    clusters = [Tally(tally.total, tally.n) for tally in tallies]
    interval = clustered_tallies(clusters)
    return {
        "score": share(sum(tally.total for tally in tallies), n),
        "n": n,
        "clips": len(tallies),
        "low": interval.low if n else None,
        "high": interval.high if n else None,
        "unread": share(sum(tally.unread for tally in tallies), n),
        "chance": chance,
        **({} if guessing is None or not n else {"p": differs_from_guessing(clusters, guessing)}),
        **_repeats_of(tallies),
        **_bias_of(tallies),
    }


def _repeats_of(tallies: Sequence[ClipTally]) -> StoredCell:
    """How often the answer of the example that was shown first came again; nothing where no example is known."""
    shown = sum(tally.exampled for tally in tallies)
    return {"repeats": sum(tally.repeats for tally in tallies) / shown} if shown else {}


def _bias_of(tallies: Sequence[ClipTally]) -> StoredCell:
    """How the two kinds of question fared apart; nothing where the questions are not yes or no."""
    asked = sum(tally.yes_no for tally in tallies)
    if not asked:
        return {}
    return {
        "yes": sum(tally.yes for tally in tallies) / asked,
        **_sensitivity(tallies),
        "positive": _half(tallies, "positive"),
        "negative": _half(tallies, "negative"),
    }


def _sensitivity(tallies: Sequence[ClipTally]) -> StoredCell:
    """An unread reply is no yes: it lowers hits and false alarms alike."""
    hits = sum(tally.positive_total for tally in tallies)
    alarms = sum(tally.yes for tally in tallies) - hits
    positives, negatives = (sum(getattr(tally, f"{half}_n") for tally in tallies) for half in ("positive", "negative"))
    return sensitivity(hits, positives, alarms, negatives)


def sensitivity(hits: float, positives: float, alarms: float, negatives: float) -> StoredCell:
    """d' and criterion as a cell keeps them."""
    found = detection(hits, positives, alarms, negatives)
    return {"d_prime": found.d_prime, "criterion": found.criterion} if found else {}


def _half(tallies: Sequence[ClipTally], name: str) -> StoredCell:
    n = sum(getattr(tally, f"{name}_n") for tally in tallies)
    total = sum(getattr(tally, f"{name}_total") for tally in tallies)
    parts = (Tally(getattr(tally, f"{name}_total"), getattr(tally, f"{name}_n")) for tally in tallies)
    interval = clustered_tallies(parts)
    return {"score": share(total, n), "n": n, "low": interval.low if n else None, "high": interval.high if n else None}


Chances = Mapping[tuple[str, str], float]  # facet and value -> what guessing gets, 0 to 1


def cells_of(groups: Groups, chances: Chances, guessing: Chances) -> dict[str, dict[str, StoredCell]]:
    """facet -> value -> cell; `chances` are told with it, `guessing` is what it is tested against."""
    cells: dict[str, dict[str, StoredCell]] = {}
    for key, tallies in groups.items():
        name, value = key
        cells.setdefault(name, {})[value] = cell_of(tallies, chances.get(key), guessing.get(key))
    return cells
