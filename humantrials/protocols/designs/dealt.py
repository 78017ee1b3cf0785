"""Designs that deal out whole parts of the pool, whole predictions, or single questions. Pure, like balanced.py."""

from collections.abc import Collection, Iterator, Sequence

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, Sheet, by_group, lot

A_SHEET, SHORT_ONES = 10, 20  # predictions with all their questions; single questions


def sheets_of_predictions(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """For each replicate all predictions in a new order, ten a sheet, as evenly as possible."""
    questions = by_group(pool)
    return tuple(
        tuple(PlannedSlot(item, replicate) for name in own for item in questions[name])
        for replicate, own in dealt(questions, replicates, seed, A_SHEET)
    )


def sheets_of_items(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """Like `sheets_of_predictions` with single questions, twenty a sheet."""
    items = [pool_item.item for pool_item in pool]
    return tuple(
        tuple(PlannedSlot(item, replicate) for item in own)
        for replicate, own in dealt(items, replicates, seed, SHORT_ONES)
    )


def dealt(names: Collection[str], replicates: int, seed: int, most: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each sheet's replicate and names: at most `most` names, with lengths that differ by at most one."""
    count = -(-len(names) // most)
    for replicate in range(replicates):
        order = sorted(names, key=lambda name: lot(f"{seed}/sheets/{replicate}", name))
        yield from ((replicate, order[number::count]) for number in range(count))


def draw_predictions(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """The questions about `wanted` drawn predictions."""
    questions = by_group(pool)
    chosen = sorted(questions, key=lambda name: lot(f"{seed}/pool", name))[:wanted]
    return sorted(item for name in chosen for item in questions[name])


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
    types = by_group(pool)
    dealt = [item for name in sorted(types) for item in _shuffled(types[name], f"{seed}/part/{name}")]
    return [sorted(dealt[number::PARTS]) for number in range(min(PARTS, len(dealt)))]


def draw_at_random(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """Draw `wanted` items from the whole pool regardless of type, like the paper."""
    return sorted(_shuffled([pool_item.item for pool_item in pool], f"{seed}/pool")[:wanted])


def _shuffled(items: Sequence[str], seed: str) -> list[str]:
    return sorted(items, key=lambda item: lot(seed, item))
