"""Sheets of a second round: more answers to the items on which people disagreed, on sheets like those of the first.

Each sheet again has one item of each group, and equally many of both halves. So each group has as many slots as the
round has sheets, and its halves share them. Only within a half do some items get more slots than others.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, Sheet, evened, lot
from measures.estimate import allotted

Cell = tuple[str, str]  # group and half


def fewest_sheets(pool: Sequence[PoolItem]) -> int:
    """The smallest round in which each item gets an answer."""
    sizes = Counter((one.group, one.half) for one in pool)
    sizes_of = Counter(group for group, _ in sizes)
    return max((sizes_of[group] * size for (group, _), size in sizes.items()), default=0)


def slots_of_cells(pool: Sequence[PoolItem], sheets: int, seed: int) -> dict[Cell, int]:
    """The number of slots for each half of a group, fixed before any answer; the remainder goes to random halves."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for group, half in sorted({(one.group, one.half) for one in pool}):
        by_group[group].append(half)
    found: dict[Cell, int] = {}
    for group, names in by_group.items():
        shuffled = sorted(names, key=lambda half: lot(f"{seed}/second/half", group, half))
        found |= {(group, half): sheets // len(names) + (n < sheets % len(names)) for n, half in enumerate(shuffled)}
    return found


def sizes_of(pool: Sequence[PoolItem], differ: Mapping[str, float], sheets: int, seed: int) -> dict[str, int]:
    """The number of further answers to each item, by how far its answers differ."""
    cells: dict[Cell, list[str]] = defaultdict(list)
    for one in sorted(pool, key=lambda one: lot(f"{seed}/second/tie", one.item)):
        cells[one.group, one.half].append(one.item)
    found: dict[str, int] = {}
    for cell, slots in slots_of_cells(pool, sheets, seed).items():
        found |= allotted({item: differ[item] for item in cells[cell]}, slots)
    return found


def second_sheets(pool: Sequence[PoolItem], sizes: Mapping[str, int], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """The round's sheets; its slots go on from the first round's replicates."""
    groups: dict[str, list[PlannedSlot]] = defaultdict(list)
    for one in pool:
        groups[one.group] += [PlannedSlot(one.item, replicates + number) for number in range(sizes[one.item])]
    sheets: list[list[PlannedSlot]] = [[] for _ in range(max(map(len, groups.values()), default=0))]
    for group, slots in sorted(groups.items()):
        shuffled = sorted(slots, key=lambda slot: lot(f"{seed}/second/{group}", slot.item, slot.replicate))
        for sheet, slot in zip(sheets, shuffled, strict=False):
            sheet.append(slot)
    even = evened([tuple(sheet) for sheet in sheets], {one.item: one for one in pool}, seed)
    return tuple(
        tuple(sorted(sheet, key=lambda slot: lot(f"{seed}/second/order/{number}", slot.item)))
        for number, sheet in enumerate(even)
    )


def keeps_cells(pool: Sequence[PoolItem], sizes: Mapping[str, int], sheets: int, seed: int) -> bool:
    """Whether every item is asked and each half of a group has the slots that were fixed before any answer."""
    known = {one.item: (one.group, one.half) for one in pool}
    if set(sizes) != set(known) or min(sizes.values(), default=1) < 1:
        return False
    found: Counter[Cell] = Counter()
    for item, size in sizes.items():
        found[known[item]] += size
    return dict(found) == slots_of_cells(pool, sheets, seed)
