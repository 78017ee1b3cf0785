"""CRAFT's design: the pool in five parts by question type, one part a person. Pure, as design.py."""

from collections import defaultdict
from collections.abc import Sequence

from humantrials.design import PlannedSlot, PoolItem, Sheet, lot

PARTS = 5


def sheets_of_parts(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """5k sheets: each is one whole part in an order of its own. Parts come in turn, so that they fill evenly."""
    parts = parts_of(pool, seed)
    return tuple(
        tuple(PlannedSlot(item, number // len(parts)) for item in _shuffled(part, f"{seed}/order/{number}"))
        for number, part in enumerate(parts * replicates)
    )


def parts_of(pool: Sequence[PoolItem], seed: int) -> list[list[str]]:
    """At most five parts; those of one question type are dealt out in turn, so that each part has its share of each."""
    types: dict[str, list[str]] = defaultdict(list)
    for one in pool:
        types[one.group].append(one.item)
    dealt = [item for name in sorted(types) for item in _shuffled(types[name], f"{seed}/part/{name}")]
    return [sorted(dealt[number::PARTS]) for number in range(min(PARTS, len(dealt)))]


def draw_at_random(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """So many items drawn from the whole pool without regard to type, as the paper's were."""
    return sorted(_shuffled([one.item for one in pool], f"{seed}/pool")[:wanted])


def _shuffled(items: Sequence[str], seed: str) -> list[str]:
    return sorted(items, key=lambda item: lot(seed, item))
