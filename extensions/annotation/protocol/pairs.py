"""PACS' pairs of objects and the questions that each pair is asked. Pure; every draw comes from the seed.

Objects are split at random, and each is paired with three others of its own split. Some pairs go to people who write
questions; the other pairs are then asked these questions: training pairs those of training, validation pairs those of
training and validation, test pairs those of training and test (paper, section 3 (d), and its appendix on question
reassignment).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from humantrials.protocols.designs.balanced import lot

SPLITS = ("train", "val", "test")
OBJECTS = {"train": 1224, "val": 150, "test": 152}  # in the release; their shares are used here
PARTNERS = 3
WRITTEN_FOR = {"train": 193 / 1836, "val": 24 / 225, "test": 25 / 228}  # share of the pairs that went to writers
QUESTIONS_A_PAIR = 13
FEWEST = 2  # objects in a split: a single one makes no pair
SPLITS_OF = {"train": ("train",), "val": ("train", "val"), "test": ("train", "test")}
Ends = tuple[int, int]


@dataclass(frozen=True)
class PlannedPair:
    """Two objects of one split, by number; label 0 of a question about them is the first object."""

    first: int
    second: int
    split: str


def split_objects(objects: Sequence[int], seed: int) -> dict[int, str]:
    """The split of each object. No split holds a single one: if objects are few, training, then test are filled first.

    A pair needs two objects at least.
    """
    sizes = split_sizes(len(objects))
    shuffled = sorted(objects, key=lambda number: lot(f"{seed}/splits", number))
    names = (split for split in SPLITS for _ in range(sizes[split]))
    found = dict(zip(shuffled, names, strict=True))
    return {number: found[number] for number in objects}


def split_sizes(count: int) -> dict[str, int]:
    """The number of objects of each split: the release's shares, but at least two if there are six objects or more."""
    sizes, left = {"train": 0, "val": 0, "test": 0}, count - FEWEST
    for split in ("test", "val"):
        share = round(count * OBJECTS[split] / sum(OBJECTS.values()))
        sizes[split] = max(FEWEST, share) if left >= FEWEST else 0
        left -= sizes[split]
    sizes["train"] = left + FEWEST
    return sizes


def paired(splits: Mapping[int, str], seed: int, partners: int = PARTNERS) -> list[PlannedPair]:
    """Pair each object with `partners` others of its own split; which object is first is drawn.

    If a split is too small for that, every object meets every other; if the number of ends is odd, one object has one
    partner fewer.
    """
    found = []
    for split in SPLITS:
        numbers = sorted(number for number, its in splits.items() if its == split)
        for ends in _met(numbers, partners, f"{seed}/pairs/{split}"):
            first, second = sorted(ends, key=lambda number: lot(f"{seed}/first/{ends}", number))
            found.append(PlannedPair(first, second, split))
    return found


def for_writers(pairs: Sequence[PlannedPair], seed: int) -> set[int]:
    """Indices in `pairs` of the pairs that questions are written for; the other pairs are asked these questions.

    Each split gives the paper's share, but at least one pair if it is training (otherwise nothing could be asked) or
    has two pairs or more.
    """
    chosen: set[int] = set()
    for split, share in WRITTEN_FOR.items():
        places = [place for place, pair in enumerate(pairs) if pair.split == split]
        least = min(len(places), 1) if split == "train" or len(places) > 1 else 0
        places.sort(key=lambda place: lot(f"{seed}/writers", pairs[place].first, pairs[place].second))
        chosen.update(places[: max(least, round(share * len(places)))])
    return chosen


def questions_for(
    pairs: Mapping[int, str], questions: Mapping[int, str], seed: int, each: int = QUESTIONS_A_PAIR
) -> dict[int, tuple[int, ...]]:
    """The questions that each pair is asked. Both mappings give a split: the pair's own, and that of the writers' pair.

    Within a split the eligible questions are asked about equally often. If there are fewer questions than `each`, a
    pair is asked all of them.
    """
    found: dict[int, tuple[int, ...]] = {}
    for split in SPLITS:
        pool = sorted(number for number, its in questions.items() if its in SPLITS_OF[split])
        used: Counter[int] = Counter()
        for pair in sorted(number for number, its in pairs.items() if its == split):
            order = sorted(pool, key=lambda number: lot(f"{seed}/questions/{pair}", number))
            least_used = sorted(order, key=lambda number: used[number])[:each]
            used.update(least_used)
            found[pair] = tuple(number for number in order if number in set(least_used))
    return {pair: found[pair] for pair in pairs}


def _met(numbers: Sequence[int], partners: int, seed: str) -> list[Ends]:
    """Draw pairs without repeats so that each number is in `partners` of them."""
    if len(numbers) <= partners:
        return list(combinations(numbers, 2))
    attempt = 0
    while (met := _joined(_ends(numbers, partners, seed), f"{seed}/{attempt}")) is None:
        attempt += 1
    return sorted(met)


def _ends(numbers: Sequence[int], partners: int, seed: str) -> list[int]:
    """Each number `partners` times; if the total is odd, one number once fewer."""
    ends = [number for number in numbers for _ in range(partners)]
    if len(ends) % 2:
        ends.remove(min(numbers, key=lambda number: lot(f"{seed}/odd", number)))
    return ends


def _joined(ends: Sequence[int], seed: str) -> set[Ends] | None:
    """Join ends at random; ends that don't fit are shuffled again (Steger and Wormald 1999, algorithm 1).

    Returns None if the remaining ends can't be joined at all.
    """
    met: set[Ends] = set()
    left, rounds = list(enumerate(ends)), 0
    while left:
        shuffled = sorted(left, key=lambda end: lot(f"{seed}/{rounds}", end[0]))
        left, rounds = [], rounds + 1
        for one, other in zip(shuffled[::2], shuffled[1::2], strict=True):
            pair = (min(one[1], other[1]), max(one[1], other[1]))
            if pair[0] == pair[1] or pair in met:
                left += [one, other]
            else:
                met.add(pair)
        if left and met.issuperset(combinations(sorted({number for _, number in left}), 2)):
            return None
    return met
