"""A sunburst of a pack's questions: one facet in the middle, another one around it, the answers outside.

CRAFT's Figure 4 has this form.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.definitions.definition import Benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.models import Item, Pack
from scenes.craft.questions.statistics import Arc, Kind, arcs_of

HOLE, RING = 22, 68  # radius of the hole and width of a ring, in units of the drawing
EDGE = 2 * (HOLE + 3 * RING)
LEAST_LABELLED = 11  # arc length in units; a shorter piece has no room for a label


@dataclass(frozen=True)
class Piece:
    """An arc as an SVG path around the centre; `turn` is the angle of its label in degrees."""

    path: str
    colour: str
    label: str
    text: str  # the label, shortened to fit
    count: int
    radius: float
    turn: float
    is_labelled: bool

    @property
    def is_left(self) -> bool:
        """Whether the label would be upside down."""
        return 90 < self.turn % 360 < 270


@dataclass(frozen=True)
class Rings:
    pieces: tuple[Piece, ...]
    rows: tuple[tuple[str, str, str, int], ...]  # (inner, outer, answer, count)

    edge: int = EDGE
    half: int = EDGE // 2


def rings_of(benchmark: Benchmark, pack: Pack | None) -> Rings | None:
    """The rings of a pack, cached; None for a benchmark without this figure or a pack without public answers."""
    if pack is None or not benchmark.rings:
        return None
    # Changes as studies open and close.
    hidden = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).count()
    key = f"rings:{pack.pk}:{pack.manifest_hash}:{hidden}"
    counts = cache.get_or_set(key, lambda: _counts(pack, *benchmark.rings), None)
    return sunburst_rings(counts) if counts else None


def sunburst_rings(counts: Mapping[Kind, int]) -> Rings:
    pieces = tuple(_piece(arc) for arc in arcs_of(counts))
    return Rings(pieces, tuple((*kind, count) for kind, count in sorted(counts.items())))


def _counts(pack: Pack, inner: str, outer: str) -> dict[Kind, int]:
    """Counts by kind, computed in the database: an official release has 57,000 questions."""
    items = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pack=pack).order_by()
    named = {
        name: FilteredRelation("facets", condition=Q(facets__name=of))
        for name, of in (("of_inner", inner), ("of_outer", outer))
    }
    rows = with_expected(items.annotate(**named), to=PUBLIC).values_list(
        F("of_inner__value"), F("of_outer__value"), "expected"
    )
    return {(str(one), str(other), str(answer)): count for one, other, answer, count in rows.annotate(n=Count("pk"))}


def _piece(arc: Arc) -> Piece:
    inner = HOLE + arc.ring * RING
    middle, share = inner + RING / 2, arc.end - arc.start
    return Piece(
        path=_outline(arc.start, min(arc.end, arc.start + 0.9999), inner, inner + RING),
        colour=arc.colour,
        label=arc.label,
        text=arc.text,
        count=arc.count,
        radius=middle,
        turn=round(180 * (arc.start + arc.end) - 90, 2),
        is_labelled=share * 2 * math.pi * middle > LEAST_LABELLED,
    )


def _outline(start: float, end: float, inner: float, outer: float) -> str:
    far = int(end - start > 0.5)
    first, second = _point(start, outer), _point(end, outer)
    third, fourth = _point(end, inner), _point(start, inner)
    return f"M{first}A{outer} {outer} 0 {far} 1 {second}L{third}A{inner} {inner} 0 {far} 0 {fourth}Z"


def _point(turn: float, radius: float) -> str:
    """The point at this fraction of a turn, clockwise from the top; y points down."""
    angle = 2 * math.pi * turn
    return f"{radius * math.sin(angle):.2f} {-radius * math.cos(angle):.2f}"
