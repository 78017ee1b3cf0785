"""PACS' crossed design: two subsets that share no clip, two groups of people, with sound and without. Pure.

Each object is in three pairs, so randomly drawn questions share clips. Here the clips are divided first; questions
about clips of both sides are left out, and the pool is drawn from the rest.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, Sheet, lot

CONDITIONS = ("audio", "no-audio")


def crossed_sheets(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """2k sheets of the whole pool: k see subset A with sound and B without, k the other way round.

    A sheet has two blocks, one with sound and one without, in a random order each. k of the sheets begin with sound, as
    evenly as possible over both kinds.
    """
    sides = two_subsets(pool, seed)
    sheets = []
    for number in range(2 * replicates):
        group, replicate = divmod(number, replicates)
        with_sound, silent = sides if group == 0 else sides[::-1]
        blocks = [
            [PlannedSlot(item, replicate, condition) for item in items]
            for items, condition in zip((with_sound, silent), CONDITIONS, strict=True)
        ]
        ordered = blocks if (group + replicate) % 2 == 0 else blocks[::-1]
        sheets.append(tuple(slot for block in ordered for slot in _shuffled(block, f"{seed}/order/{number}")))
    return tuple(sheets)


def two_subsets(pool: Sequence[PoolItem], seed: int) -> tuple[list[str], list[str]]:
    """Split the pool into two halves that share no clip; connected items stay together, large parts first."""
    sides: tuple[list[str], list[str]] = ([], [])
    parts = sorted(connected(pool), key=lambda part: (-len(part), lot(f"{seed}/side", part[0])))
    for part in parts:
        min(sides, key=len).extend(part)
    return sorted(sides[0]), sorted(sides[1])


def draw_apart(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """Draw at most `wanted` items, in two halves that share no clip."""
    sides: tuple[list[PoolItem], list[PoolItem]] = ([], [])
    side_of: dict[str, int] = {}
    by_clips: dict[tuple[str, ...], list[PoolItem]] = defaultdict(list)
    for one in pool:
        by_clips[one.clips].append(one)
    # Pairs in a drawn order: a pair of new clips goes to the smaller side, a pair with a known clip to that clip's
    # side, and a pair with clips of both sides is left out.
    for clips in sorted(by_clips, key=lambda clips: lot(f"{seed}/divide", *clips)):
        known = {side_of[clip] for clip in clips if clip in side_of}
        if len(known) < 2:
            side = known.pop() if known else int(len(sides[1]) < len(sides[0]))
            side_of.update(dict.fromkeys(clips, side))
            sides[side].extend(by_clips[clips])
    quotas = _quotas(wanted, len(sides[0]), len(sides[1]))
    orders = [sorted(side, key=lambda one: lot(f"{seed}/pool", one.item)) for side in sides]
    return sorted(one.item for side, quota in zip(orders, quotas, strict=True) for one in side[:quota])


def connected(pool: Sequence[PoolItem]) -> Iterator[list[str]]:
    """Yield the connected components: items linked by shared clips."""
    by_clip: dict[str, list[PoolItem]] = defaultdict(list)
    for one in pool:
        for clip in one.clips:
            by_clip[clip].append(one)
    left = {one.item: one for one in sorted(pool, key=lambda pool_item: pool_item.item)}
    while left:
        part, waiting = [], [left.pop(next(iter(left)))]
        while waiting:
            one = waiting.pop()
            part.append(one.item)
            near = {other.item for clip in one.clips for other in by_clip[clip]}
            waiting += [left.pop(item) for item in sorted(near & left.keys())]
        yield sorted(part)


def _quotas(wanted: int, first: int, second: int) -> tuple[int, int]:
    """The number of items from each side: half each; if one side has fewer, the other fills up."""
    half = (wanted + 1) // 2
    quota = min(first, max(half, wanted - second))
    return quota, min(second, wanted - quota)


def _shuffled(block: Iterable[PlannedSlot], seed: str) -> list[PlannedSlot]:
    return sorted(block, key=lambda slot: lot(seed, slot.item))
