"""Latin sheets of clips, pairs and triples: nobody sees one prompt twice, everybody sees each generator equally often.

Pure, like humantrials/protocols/designs/balanced.py. A *layer* shows every prompt once. Its prompts stand in a drawn
order, and what is shown of them (a generator, or an ordered pair of two) goes round in a circle, so that any stretch of
a layer shows each generator equally often. As many layers as the circle has places show everything once. A triple goes
round with its first clip: the others stand at fixed distances behind it, so they go round, too.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, Sheet, lot

CLIPS, PAIRS, BREAKS, TRIPLES = 24, 24, 16, 10  # on a sheet, at most
Sets = tuple[str, ...]  # codes of clip sets: one, or those from left to right
Questions = Mapping[tuple[Sets, str], Sequence[str]]  # (sets, prompt) -> the questions about it, page 1 first


@dataclass(frozen=True)
class ClipCell:
    """What a question of a round shows: `CODE.TAKE.PAGE` of one clip, or `LEFT-RIGHT.TAKE` of more."""

    sets: Sets
    take: int
    page: int = 1


def cell_of(text: str) -> ClipCell:
    """The cell of a value of the facet `cell`."""
    sets, *numbers = text.split(".")
    return ClipCell(tuple(sets.split("-")), *map(int, numbers))


def latin_sheets(pool: Sequence[PoolItem], replicates: int, seed: int, most: int = CLIPS) -> tuple[Sheet, ...]:
    """Sheets of 12 to 24 clips, on which the numbers of clips of two generators differ by at most one.

    Clips that a set lacks are left out, and their places stay empty.
    """
    takes: dict[int, dict[tuple[Sets, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(pool, key=lambda pool_item: (cell_of(pool_item.half).page, pool_item.item)):
        cell = cell_of(one.half)
        sets = cell.sets[:1] if len(cell.sets) == 3 else cell.sets
        takes[cell.take][sets, one.group].append(one.item)
    found: list[Sheet] = []
    for replicate in range(replicates):
        names = {take: f"{seed}/{replicate}/{take}" for take in sorted(takes)}
        sheets = [sheet for take, name in names.items() for sheet in _of_take(takes[take], replicate, name, most)]
        found += sorted(sheets, key=lambda sheet: lot(f"{seed}/sheets/{replicate}", sheet[0].item))
    return tuple(found)


# To find a moment takes longer than to rate. On sheets of triples and of pairs generators differ by three at most, and
# so do the places of each.
break_sheets, triple_sheets, pair_sheets = (partial(latin_sheets, most=most) for most in (BREAKS, TRIPLES, PAIRS))


def _of_take(questions: Questions, replicate: int, name: str, most: int) -> Iterator[Sheet]:
    """Yield the sheets of one take and replicate: all layers, each cut into stretches."""
    codes = sorted({code for sets, _ in questions for code in sets}, key=lambda code: lot(f"{name}/sets", code))
    prompts = sorted({prompt for _, prompt in questions}, key=lambda prompt: lot(f"{name}/prompts", prompt))
    are_pairs = any(len(sets) > 1 for sets, _ in questions)
    circle: Sequence[Sets] = tournament(codes) if are_pairs else [(code,) for code in codes]
    for layer in range(len(circle)):
        cells = [(circle[(layer + place) % len(circle)], prompt) for place, prompt in enumerate(prompts)]
        for begin, end in stretches(len(cells), most, unit=len(codes) // 2 if are_pairs else len(codes)):
            clips = [questions[cell] for cell in cells[begin:end] if cell in questions]
            clips.sort(key=lambda pages: lot(f"{name}/order", *pages))
            if clips:
                yield tuple(PlannedSlot(page, replicate) for pages in clips for page in pages)


def stretches(count: int, most: int, *, unit: int) -> list[tuple[int, int]]:
    """Cut `count` places into as few stretches as have at most `most`: whole units if none gets short by it."""
    number = max(1, -(-count // most))
    equal = [count * cut // number for cut in range(number + 1)]
    whole = [*(round(cut / unit) * unit for cut in equal[:-1]), count]
    is_good = all(most // 2 <= end - begin <= most for begin, end in pairwise(whole))
    return list(pairwise(whole if is_good else equal))


def turns_of(codes: Sequence[str]) -> list[list[tuple[str, str]]]:
    """All pairs in turns in which everybody has at most one pair, by the circle method."""
    ring = [*[""] * (len(codes) % 2), *codes]  # who meets "" has no pair in that turn
    turns, half = [], len(ring) // 2
    for _turn in range(len(ring) - 1):
        turns.append([pair for pair in zip(ring[:half], reversed(ring[half:]), strict=True) if all(pair)])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return turns


def tournament(codes: Sequence[str]) -> list[Sets]:
    """Both orders of all pairs in turns; everybody changes sides with each turn."""
    first = [
        (one, other) if (place or turn) % 2 else (other, one)
        for turn, pairs in enumerate(turns_of(codes))
        for place, (one, other) in enumerate(pairs, len(codes) % 2)
    ]
    return [*first, *((right, left) for left, right in first)]
