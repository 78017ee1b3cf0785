"""Balanced sheets drawn from a seed. Pure: the same pool and seed give the same sheets on every machine.

Every draw orders SHA-256 digests of (seed, candidate), so it depends on no library's random generator.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class PlannedSlot:
    """One answer wanted: the item's draw key, the replicate, and the condition ('' = the protocol's)."""

    item: str
    replicate: int
    condition: str = ""


@dataclass(frozen=True)
class PoolItem:
    """An item as designs see it: its group, the half to balance, the clips it shows, and its pair of twins."""

    item: str
    group: str = ""
    half: str = ""
    clips: tuple[str, ...] = ()
    pair: str = ""  # '' = its twin is not in the pool, or is of another draw


Sheet = tuple[PlannedSlot, ...]


def one_of_each_group(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """GRASP's sheets over the groups of this pool."""
    return grasp_sheets(by_group(pool), replicates=replicates, seed=seed)


def by_group(pool: Sequence[PoolItem]) -> dict[str, list[str]]:
    """The items of each group, in a fixed order."""
    groups: dict[str, list[str]] = defaultdict(list)
    for one in sorted(pool, key=lambda pool_item: pool_item.item):
        groups[one.group].append(one.item)
    return groups


def one_of_each_group_evened(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """GRASP's sheets, whose counts of each half (such as plausible or not) differ by at most one."""
    known = {pool_item.item: pool_item for pool_item in pool}
    return evened(one_of_each_group(pool, replicates, seed), known, seed)


def grasp_sheets(pool: Mapping[str, Sequence[str]], *, replicates: int, seed: int) -> tuple[Sheet, ...]:
    """Sheets with at most one item of each test: sheet s takes the s-th slot of every test's permutation.

    There are as many sheets as the largest test has slots. The slots of a smaller test go to the sheets with the fewest
    slots so far, so all slots are used exactly once and lengths differ as little as possible.
    """
    count = max((len(items) * replicates for items in pool.values()), default=0)
    sheets: list[list[PlannedSlot]] = [[] for _ in range(count)]
    for test in sorted(pool, key=lambda name: (-len(pool[name]), name)):
        slots = _permuted(pool[test], replicates, f"{seed}/{test}")
        for number, slot in zip(_shortest(sheets, len(slots), f"{seed}/{test}"), slots, strict=True):
            sheets[number].append(slot)
    return tuple(
        tuple(sorted(slots, key=lambda slot: lot(f"{seed}/order/{number}", slot.item)))
        for number, slots in enumerate(sheets)
    )


def _permuted(items: Sequence[str], replicates: int, seed: str) -> list[PlannedSlot]:
    slots = (PlannedSlot(item, replicate) for item in items for replicate in range(replicates))
    return sorted(slots, key=lambda slot: lot(seed, slot.item, slot.replicate))


def _shortest(sheets: Sequence[Sequence[PlannedSlot]], count: int, seed: str) -> list[int]:
    """The `count` sheets with the fewest slots; ties are broken by lot."""
    order = sorted(range(len(sheets)), key=lambda number: (len(sheets[number]), lot(f"{seed}/short", number)))
    return sorted(order[:count])


def evened(sheets: Sequence[Sheet], known: Mapping[str, PoolItem], seed: int) -> tuple[Sheet, ...]:
    """Swap slots of one group between two sheets until no swap brings the two closer to an equal share of each half.

    The drawn sheets stay as they are except for these swaps, so the halves of two groups stay independent of each
    other. Each swap lowers the sum of squared counts, so this ends.
    """
    rows = [list(sheet) for sheet in sheets]
    sides = sorted({one.half for one in known.values()})
    swapped = True
    while swapped:
        swapped = any(_even_out(rows, known, half, f"{seed}/even/{half}") for half in sides)
    return tuple(tuple(row) for row in rows)


def _even_out(rows: list[list[PlannedSlot]], known: Mapping[str, PoolItem], half: str, seed: str) -> bool:
    """Swap once between the sheets that differ most in this half; False if no swap helps."""
    most = [_held(row, known)[half] for row in rows]
    order = sorted(range(len(rows)), key=lambda number: (-most[number], lot(seed, number)))
    for full, short in product(order, reversed(order)):
        is_uneven = most[full] - most[short] >= 2
        if is_uneven and _swap(rows[full], rows[short], known, half, f"{seed}/{full}/{short}"):
            return True
    return False


def _swap(
    full: list[PlannedSlot], short: list[PlannedSlot], known: Mapping[str, PoolItem], half: str, seed: str
) -> bool:
    """Swap a slot of this half for one of another half in the same group, if both sheets become more even."""
    places = {known[slot.item].group: place for place, slot in enumerate(short)}
    for place in sorted(range(len(full)), key=lambda place: lot(seed, full[place].item)):
        own, there = known[full[place].item], places.get(known[full[place].item].group)
        if own.half != half or there is None or known[short[there].item].half == half:
            continue
        before = _unevenness(full, known) + _unevenness(short, known)
        full[place], short[there] = short[there], full[place]
        if _unevenness(full, known) + _unevenness(short, known) < before:
            return True
        full[place], short[there] = short[there], full[place]
    return False


def _held(row: Sequence[PlannedSlot], known: Mapping[str, PoolItem]) -> Counter[str]:
    return Counter(known[slot.item].half for slot in row)


def _unevenness(row: Sequence[PlannedSlot], known: Mapping[str, PoolItem]) -> int:
    return sum(n * n for n in _held(row, known).values())


def lot(seed: str, *parts: object) -> bytes:
    """The digest that decides a candidate's place in a random order."""
    return hashlib.sha256("/".join((seed, *map(str, parts))).encode()).digest()


def draw_by_group(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """At most `wanted` items of each group, balanced over its halves, in whole pairs of twins as far as they go."""
    by_side: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in pool:
        by_side[one.group][one.half].append(one.item)
    pairs = {pool_item.item: pool_item.pair for pool_item in pool if pool_item.pair}
    return [item for items in smaller(by_side, wanted, seed, pairs).values() for item in items]


def draw_pairs_by_group(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """At most `wanted` items of each group, in whole pairs of the items that show the same clips."""
    groups: dict[str, dict[frozenset[str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for pool_item in pool:
        groups[pool_item.group][frozenset(pool_item.clips)].append(pool_item.item)
    return [
        item
        for pairs in groups.values()
        for clips in sorted(pairs, key=lambda clips: lot(f"{seed}/pool", *sorted(clips)))[: max(1, wanted // 2)]
        for item in pairs[clips]
    ]


def smaller(
    pool: Mapping[str, Mapping[str, Sequence[str]]], per_test: int, seed: int, pairs: Mapping[str, str]
) -> dict[str, list[str]]:
    """At most `per_test` items of each test, as evenly as possible over its halves (such as plausible or not).

    An odd number has one more of one half: of the first half in every other test, in a drawn order of the tests.
    Items of one of the `pairs` have the same place in both halves, before all items without a twin.
    """

    def place_of(item: str) -> tuple[bool, bytes]:
        return item not in pairs, lot(f"{seed}/pool", pairs.get(item, item))

    small = {}
    for number, test in enumerate(sorted(pool, key=lambda test: lot(f"{seed}/odd", test))):
        names = sorted(pool[test], reverse=bool(number % 2))
        shuffled = {name: sorted(pool[test][name], key=place_of) for name in names}
        ranked = sorted((place, names.index(name), item) for name in names for place, item in enumerate(shuffled[name]))
        small[test] = sorted(item for _, _, item in ranked[:per_test])
    return small


def design_hash(sheets: Iterable[Sheet]) -> str:
    """Hash of the whole design: each slot's item, replicate, sheet, position and condition."""
    lines = (_line(number, slot) for number, sheet in enumerate(sheets) for slot in sheet)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _line(number: int, slot: PlannedSlot) -> str:
    under = f"/{slot.condition}" if slot.condition else ""
    return f"{number}/{slot.item}/{slot.replicate}{under}"
