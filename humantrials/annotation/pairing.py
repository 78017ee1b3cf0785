"""Which objects meet and which questions a pair is asked, as PACS did it. Pure; all of it drawn by a seed.

Objects are split at random; each is paired with three others of its own split; some of the pairs go to people who
write questions, and these are then asked of the other pairs: training pairs draw from the questions of training pairs,
validation pairs from training and validation, test pairs from training and test (paper, section 3 (d), and its appendix
on question reassignment).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from humantrials.design import lot

SPLITS = ("train", "val", "test")
OBJECTS = {"train": 1224, "val": 150, "test": 152}  # of the release: the shares are these
PARTNERS = 3
WRITTEN_FOR = {"train": 193 / 1836, "val": 24 / 225, "test": 25 / 228}  # share of the pairs that went to writers
QUESTIONS_A_PAIR = 13
FEWEST = 2  # objects of a split: one alone makes no pair
ASKED_OF = {"train": ("train",), "val": ("train", "val"), "test": ("train", "test")}
Ends = tuple[int, int]


class TooFewObjects(ValueError):
    """There is nothing to pair."""


@dataclass(frozen=True)
class PlannedPair:
    """Two objects of one split, by their numbers; label 0 of a question about them is the first."""

    first: int
    second: int
    split: str


def split_objects(objects: Sequence[int], seed: int) -> dict[int, str]:
    """The split of each object. No split holds a single one: of few objects, training and then test get theirs first.

    Raises TooFewObjects where not even one pair can be made, ValueError where an object stands there twice.
    """
    twice = next((number for number, times in Counter(objects).items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"object {twice} stands there twice")
    sizes = split_sizes(len(objects))
    drawn = sorted(objects, key=lambda number: lot(f"{seed}/splits", number))
    names = (split for split in SPLITS for _ in range(sizes[split]))
    found = dict(zip(drawn, names, strict=True))
    return {number: found[number] for number in objects}


def split_sizes(count: int) -> dict[str, int]:
    """How many of so many objects go to each split: the release's shares, but two at least where there are six."""
    if count < FEWEST:
        raise TooFewObjects(f"{count} objects: two at least are needed for a pair")
    sizes, left = {"train": 0, "val": 0, "test": 0}, count - FEWEST
    for split in ("test", "val"):
        share = round(count * OBJECTS[split] / sum(OBJECTS.values()))
        sizes[split] = max(FEWEST, share) if left >= FEWEST else 0
        left -= sizes[split]
    sizes["train"] = left + FEWEST
    return sizes


def paired(splits: Mapping[int, str], seed: int, partners: int = PARTNERS) -> list[PlannedPair]:
    """Every pair, each object with so many others of its own split; which of the two is first is drawn.

    Where a split has too few for that, everyone meets everyone; where the number of ends is odd, one object has a
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
    """Places in `pairs` of those that questions are written for; the others are asked these questions.

    Of each split the paper's share; one at least of training, without which nothing could be asked, and of every split
    with two pairs or more.
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
    """The questions that each pair is asked. Both mappings give a split: the pair's, and that of the pair written for.

    Within a split every question that may be asked there is asked of about as many pairs as any other. Where there are
    fewer questions than `each`, a pair is asked all of them.
    """
    found: dict[int, tuple[int, ...]] = {}
    for split in SPLITS:
        pool = sorted(number for number, its in questions.items() if its in ASKED_OF[split])
        used: Counter[int] = Counter()
        for pair in sorted(number for number, its in pairs.items() if its == split):
            order = sorted(pool, key=lambda number: lot(f"{seed}/questions/{pair}", number))
            drawn = sorted(order, key=lambda number: used[number])[:each]
            used.update(drawn)
            found[pair] = tuple(number for number in order if number in set(drawn))
    return {pair: found[pair] for pair in pairs}


def _met(numbers: Sequence[int], partners: int, seed: str) -> list[Ends]:
    """Pairs such that each number is in so many of them, no pair twice."""
    if len(numbers) <= partners:
        return list(combinations(numbers, 2))
    attempt = 0
    while (met := _joined(_ends(numbers, partners, seed), f"{seed}/{attempt}")) is None:
        attempt += 1
    return sorted(met)


def _ends(numbers: Sequence[int], partners: int, seed: str) -> list[int]:
    """Every number as often as it is to be met; once fewer for one of them where the ends could not be joined."""
    ends = [number for number in numbers for _ in range(partners)]
    if len(ends) % 2:
        ends.remove(min(numbers, key=lambda number: lot(f"{seed}/odd", number)))
    return ends


def _joined(ends: Sequence[int], seed: str) -> set[Ends] | None:
    """Join ends at random; those that don't go together are shuffled again (Steger and Wormald 1999, algorithm 1).

    None where those that are left can't be joined at all.
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
