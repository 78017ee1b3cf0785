"""CRAFT's design: the pool in five parts by question type, one part a person. Pure, like balanced.py."""

from collections import defaultdict
from collections.abc import Sequence

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, Sheet, lot

PARTS = 5


def sheets_of_parts(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """5k sheets, each a whole part in its own order. Parts alternate, so that they fill evenly."""
    parts = parts_of(pool, seed)
    return tuple(
        tuple(PlannedSlot(item, number // len(parts)) for item in _shuffled(part, f"{seed}/order/{number}"))
        for number, part in enumerate(parts * replicates)
    )


def parts_of(pool: Sequence[PoolItem], seed: int) -> list[list[str]]:
    """At most five parts; each question type is dealt out in turn, so that each part gets its share of it."""
    types: dict[str, list[str]] = defaultdict(list)
    for one in pool:
        types[one.group].append(one.item)
    dealt = [item for name in sorted(types) for item in _shuffled(types[name], f"{seed}/part/{name}")]
    return [sorted(dealt[number::PARTS]) for number in range(min(PARTS, len(dealt)))]


def draw_at_random(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """Draw `wanted` items from the whole pool regardless of type, like the paper."""
    return sorted(_shuffled([one.item for one in pool], f"{seed}/pool")[:wanted])


def _shuffled(items: Sequence[str], seed: str) -> list[str]:
    return sorted(items, key=lambda item: lot(seed, item))
