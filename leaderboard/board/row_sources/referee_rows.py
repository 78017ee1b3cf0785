"""Boards scored by a referee (LLM judge): the rows of one referee, and its scores of known answers as references."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.referees.validation_samples import POSITIVE, RANDOM
from evaluation.studies.validation_report import DatasetReport, Separation, Validation, separation_of, validations
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import BadAddress, View


def referees_among(rows: Iterable[BoardRow]) -> list[str]:
    """The referees that scored these rows, the one with the most rows first."""
    counts = Counter(row.referee for row in rows if row.referee)
    return sorted(counts, key=lambda name: (-counts[name], name))


def of_one_referee(view: View, rows: Sequence[BoardRow]) -> tuple[list[BoardRow], tuple[str, ...]]:
    """The rows of the view's referee, and the names of all: points of two are never ranked together."""
    names = referees_among(rows)
    if view.referee and view.referee not in names:
        words = {"referee": repr(view.referee), "known": ", ".join(names) or "none yet"}
        raise BadAddress("no row here is scored by {referee}; there is: {known}".format(**words))
    current = view.referee or next(iter(names), "")
    return [row for row in rows if row.referee in ("", current)], tuple(names)


@dataclass(frozen=True)
class Reference:
    """A reference line of the board: a referee's scores of one kind of known answer. It is not an answerer."""

    kind: str
    referee: str
    cells: dict[str, float]  # data set -> share
    overall: float | None
    n: int


@dataclass(frozen=True)
class Doubt:
    """A referee that does not separate positive from random answers: its points are shown but not ranked."""

    referee: str
    separation: Separation


def doubt_about(view: View, referees: Sequence[str]) -> Doubt | None:
    """The doubt about the shown referee on this level's data sets; None if it discriminates or was not measured."""
    wanted = view.referee or next(iter(referees), "")
    if not wanted or not view.level.dimensions:
        return None
    for one in _nearest(view, validations(view.benchmark.slug, referee=wanted)):
        found = separation_of(_of_level(view, one.parts))
        if found and not found.discriminates:
            return Doubt(wanted, found)
    return None


def references_for(view: View, referees: Sequence[str]) -> list[Reference]:
    """The *positive* and *random* lines of the shown referee, or of every validated one if no rows are shown."""
    if not view.level.dimensions or view.group != "test":
        return []
    wanted = view.referee or next(iter(referees), "")
    found = _nearest(view, validations(view.benchmark.slug, referee=wanted))
    lines = [_reference(view, one.referee, kind, one.parts) for one in found for kind in (POSITIVE, RANDOM)]
    return [line for line in lines if line.cells]


def _nearest(view: View, found: Iterable[Validation]) -> list[Validation]:
    """Each referee's validation on the view's pack, else on the newest pack with data sets of this level."""
    chosen: dict[str, Validation] = {}
    for one in found:
        before = chosen.get(one.referee)
        is_in_view = before is not None and view.pack is not None and before.pack == view.pack.name
        if _of_level(view, one.parts) and not is_in_view:
            chosen[one.referee] = one
    return list(chosen.values())


def _of_level(view: View, parts: Sequence[DatasetReport]) -> list[DatasetReport]:
    datasets = {value.value for value in view.benchmark.facet("test").values if value.level == view.level.number}
    return [part for part in parts if part.dataset in datasets]


def _reference(view: View, referee: str, kind: str, parts: Sequence[DatasetReport]) -> Reference:
    own = _of_level(view, parts)
    shares = {part.dataset: _share(part, kind, view.dimension) for part in own}
    cells = {dataset: share for dataset, share in shares.items() if share is not None}
    counted = [part.scored[kind] for part in own if part.dataset in cells]
    total = sum(share * n for share, n in zip(cells.values(), counted, strict=True))
    return Reference(kind, referee, cells, total / sum(counted) if sum(counted) else None, sum(counted))


def _share(part: DatasetReport, kind: str, dimension: str) -> float | None:
    return part.means.get(kind, {}).get(dimension) if dimension else part.average(kind)
