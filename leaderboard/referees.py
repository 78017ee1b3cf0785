"""Boards of what referees scored: one referee at a time, and what it gives to answers that are known."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.refereeing.samples import POSITIVE, RANDOM
from evaluation.refereeing.validity import Part, validations
from leaderboard.address import BadAddress, View
from leaderboard.board import BoardRow


def referees_among(rows: Iterable[BoardRow]) -> list[str]:
    """Whose points these rows show, the one with the most rows first."""
    counts = Counter(row.referee for row in rows if row.referee)
    return sorted(counts, key=lambda name: (-counts[name], name))


def of_one_referee(view: View, rows: Sequence[BoardRow]) -> tuple[list[BoardRow], tuple[str, ...]]:
    """The rows of the view's referee, and all there are: points of two are never ranked beside each other."""
    names = referees_among(rows)
    if view.referee and view.referee not in names:
        raise BadAddress(f"no row here is scored by {view.referee!r}; there is: {', '.join(names) or 'none yet'}")
    shown = view.referee or next(iter(names), "")
    return [row for row in rows if row.referee in ("", shown)], tuple(names)


@dataclass(frozen=True)
class Reference:
    """A line to read the board by: one kind of known answer, as one referee scores it. It is no answerer."""

    kind: str
    referee: str
    cells: dict[str, float]  # data set -> share
    overall: float | None
    n: int


def references_for(view: View, referees: Sequence[str]) -> list[Reference]:
    """*positive* and *random* of the referee whose rows are shown; of every validated one where there is none."""
    if not view.level.dimensions or view.group != "test" or view.blocks:
        return []
    wanted = view.referee or next(iter(referees), "")
    found = [one for one in validations(view.benchmark.slug) if one.referee == wanted or not wanted]
    lines = [_reference(view, one.referee, kind, one.parts) for one in found for kind in (POSITIVE, RANDOM)]
    return [line for line in lines if line.cells]


def _reference(view: View, referee: str, kind: str, parts: Sequence[Part]) -> Reference:
    datasets = {value.value for value in view.benchmark.facet("test").values if value.level == view.level.number}
    own = [part for part in parts if part.dataset in datasets]
    cells = {part.dataset: share for part in own if (share := _share(part, kind, view.dimension)) is not None}
    counted = [part.scored[kind] for part in own if part.dataset in cells]
    total = sum(share * n for share, n in zip(cells.values(), counted, strict=True))
    return Reference(kind, referee, cells, total / sum(counted) if sum(counted) else None, sum(counted))


def _share(part: Part, kind: str, dimension: str) -> float | None:
    means = part.means.get(kind, {})
    return means.get(dimension) if dimension else fmean(means.values()) if means else None
