"""Which clip a question of a round shows, as designs know it: a code of its clip set, the take and the page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClipCell:
    """`CODE.TAKE.PAGE` of one clip, or `LEFT-RIGHT.TAKE` of a pair."""

    sets: tuple[str, ...]  # codes of its clip sets: one, or the left and the right one
    take: int
    page: int = 1


def cell_of(text: str) -> ClipCell:
    """The cell of a value of the facet `cell`."""
    sets, take, *page = text.split(".")
    return ClipCell(tuple(sets.split("-")), int(take), *map(int, page))
