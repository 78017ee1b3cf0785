"""How the questions of a pack spread, as rings: a facet in the middle, another around it, the answers outside.

It is the form of CRAFT's Figure 4.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.definition import Benchmark
from benchmarks.models import Item, Pack
from scenes.craft.statistics import Arc, Kind, arcs_of

HOLE, RING = 22, 68  # of the drawing, in its own units
EDGE = 2 * (HOLE + 3 * RING)
LEAST_LABELLED = 11  # units along the middle of a piece: less has no room for letters


@dataclass(frozen=True)
class Piece:
    """An arc's outline as an SVG path about the middle; `turn` in degrees is where its label stands, if it has room."""

    path: str
    colour: str
    label: str
    text: str  # of it, as far as there is room
    count: int
    radius: float
    turn: float
    is_labelled: bool

    @property
    def is_left(self) -> bool:
        """Whether its label would stand on its head."""
        return 90 < self.turn % 360 < 270


@dataclass(frozen=True)
class Rings:
    pieces: tuple[Piece, ...]
    rows: tuple[tuple[str, str, str, int], ...]  # the same in numbers

    edge: int = EDGE
    half: int = EDGE // 2


def rings_of(benchmark: Benchmark, pack: Pack | None) -> Rings | None:
    """None for a benchmark without such a figure, or a pack without answers. Kept: a pack never changes."""
    if pack is None or not benchmark.rings:
        return None
    counts = cache.get_or_set(f"rings:{pack.pk}:{pack.manifest_hash}", lambda: _counts(pack, *benchmark.rings), None)
    return drawn(counts) if counts else None


def drawn(counts: Mapping[Kind, int]) -> Rings:
    pieces = tuple(_piece(arc) for arc in arcs_of(counts))
    return Rings(pieces, tuple((*kind, count) for kind, count in sorted(counts.items())))


def _counts(pack: Pack, inner: str, outer: str) -> dict[Kind, int]:
    """Counted in the database: an official release has 57,000 questions."""
    items = Item.objects.filter(pack=pack, expected__isnull=False).order_by()
    named = {name: FilteredRelation("facets", condition=Q(facets__name=of)) for name, of in
             (("of_inner", inner), ("of_outer", outer))}  # fmt: skip
    rows = items.annotate(**named).values_list(F("of_inner__value"), F("of_outer__value"), "expected")
    return {(str(one), str(other), str(answer)): count for one, other, answer, count in rows.annotate(n=Count("pk"))}


def _piece(arc: Arc) -> Piece:
    inner = HOLE + arc.ring * RING
    middle, share = inner + RING / 2, arc.end - arc.start
    return Piece(
        path=_outline(arc.start, min(arc.end, arc.start + 0.9999), inner, inner + RING),
        colour=arc.colour, label=arc.label, text=arc.text, count=arc.count, radius=middle,
        turn=round(180 * (arc.start + arc.end) - 90, 2),
        is_labelled=share * 2 * math.pi * middle > LEAST_LABELLED,
    )  # fmt: skip


def _outline(start: float, end: float, inner: float, outer: float) -> str:
    far = int(end - start > 0.5)
    first, second = _point(start, outer), _point(end, outer)
    third, fourth = _point(end, inner), _point(start, inner)
    return f"M{first}A{outer} {outer} 0 {far} 1 {second}L{third}A{inner} {inner} 0 {far} 0 {fourth}Z"


def _point(turn: float, radius: float) -> str:
    """From the top and clockwise; y points down."""
    angle = 2 * math.pi * turn
    return f"{radius * math.sin(angle):.2f} {-radius * math.cos(angle):.2f}"
