"""PACS' crossed design: two subsets that share no clip, two groups of people, with sound and without. Pure.

Each object stands in three pairs, so questions drawn at random hang together through their clips. Here the clips are
divided first; questions about clips of both sides are left out, and the pool is drawn from the rest.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from humantrials.design import PlannedSlot, PoolItem, Sheet, lot

CONDITIONS = ("audio", "no-audio")


def crossed_sheets(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """2k sheets of the whole pool: k see subset A with sound and B without, k the other way round.

    A sheet is two blocks, one with sound and one without, either of them first; the order in a block is random.
    """
    sides = two_subsets(pool, seed)
    sheets = []
    for number in range(2 * replicates):
        group, replicate = divmod(number, replicates)
        heard, silent = sides if group == 0 else sides[::-1]
        blocks = [
            [PlannedSlot(item, replicate, condition) for item in items]
            for items, condition in zip((heard, silent), CONDITIONS, strict=True)
        ]
        ordered = blocks if replicate % 2 == 0 else blocks[::-1]
        sheets.append(tuple(slot for block in ordered for slot in _shuffled(block, f"{seed}/order/{number}")))
    return tuple(sheets)


def two_subsets(pool: Sequence[PoolItem], seed: int) -> tuple[list[str], list[str]]:
    """The pool in two halves without a clip in common: what hangs together stays together, large parts first."""
    sides: tuple[list[str], list[str]] = ([], [])
    parts = sorted(connected(pool), key=lambda part: (-len(part), lot(f"{seed}/side", part[0])))
    for part in parts:
        min(sides, key=len).extend(part)
    return sorted(sides[0]), sorted(sides[1])


def draw_apart(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """At most `wanted` items, in two halves that share no clip."""
    sides: tuple[list[PoolItem], list[PoolItem]] = ([], [])
    side_of: dict[str, int] = {}
    by_clips: dict[tuple[str, ...], list[PoolItem]] = defaultdict(list)
    for one in pool:
        by_clips[one.clips].append(one)
    # Pair by pair in a drawn order: a new pair goes to the smaller side, one with a known clip follows it, and a pair
    # with clips of both sides is left out.
    for clips in sorted(by_clips, key=lambda clips: lot(f"{seed}/divide", *clips)):
        known = {side_of[clip] for clip in clips if clip in side_of}
        if len(known) < 2:
            side = known.pop() if known else int(len(sides[1]) < len(sides[0]))
            side_of.update(dict.fromkeys(clips, side))
            sides[side].extend(by_clips[clips])
    quotas = _quotas(wanted, len(sides[0]), len(sides[1]))
    return sorted(one.item for side, quota in zip(sides, quotas, strict=True) for one in _first(side, quota, seed))


def connected(pool: Sequence[PoolItem]) -> Iterator[list[str]]:
    """Items that hang together through their clips, part by part."""
    by_clip: dict[str, list[PoolItem]] = defaultdict(list)
    for one in pool:
        for clip in one.clips:
            by_clip[clip].append(one)
    left = {one.item: one for one in sorted(pool, key=lambda one: one.item)}
    while left:
        part, waiting = [], [left.pop(next(iter(left)))]
        while waiting:
            one = waiting.pop()
            part.append(one.item)
            near = {other.item for clip in one.clips for other in by_clip[clip]}
            waiting += [left.pop(item) for item in sorted(near & left.keys())]
        yield sorted(part)


def _quotas(wanted: int, first: int, second: int) -> tuple[int, int]:
    """How many of each side: half and half, and where one side has fewer the other fills up."""
    half = (wanted + 1) // 2
    given = min(first, max(half, wanted - second))
    return given, min(second, wanted - given)


def _first(side: Iterable[PoolItem], quota: int, seed: int) -> list[PoolItem]:
    return sorted(side, key=lambda one: lot(f"{seed}/pool", one.item))[:quota]


def _shuffled(block: Iterable[PlannedSlot], seed: str) -> list[PlannedSlot]:
    return sorted(block, key=lambda slot: lot(seed, slot.item))
