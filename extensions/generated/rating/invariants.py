"""What holds on the sheets of a study of generated clips, beside what holds in every study."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby

from extensions.generated.rating.cells import ClipCell, cell_of
from humantrials.protocols import invariants
from humantrials.protocols.invariants import Invariant, TrialFacts

PAIRS_OFF = 3  # pairs by which two generators, or the two sides of one, may differ on a sheet


def one_clip_of_a_prompt(facts: TrialFacts) -> bool:
    """Whether no sheet shows a prompt by two clips, or by two pairs of clips."""
    return all(len({prompt for prompt, _ in clips}) == len(clips) for clips in _clips_by_sheet(facts))


def pages_in_order(facts: TrialFacts) -> bool:
    """Whether all pages about a clip follow each other, the first one first."""
    sheets: dict[int, list[tuple[str, ClipCell]]] = defaultdict(list)
    for slot in sorted(facts.slots, key=lambda slot: slot.position):
        sheets[slot.sheet].append((slot.group, cell_of(slot.half)))
    for slots in sheets.values():
        runs = [[cell.page for _, cell in run] for _, run in groupby(slots, key=lambda slot: (slot[0], slot[1].sets))]
        if len(runs) != len({(prompt, cell.sets) for prompt, cell in slots}) or any(run != sorted(run) for run in runs):
            return False
    return True


def generators_even(facts: TrialFacts) -> bool:
    """Whether sheets have as many clips of each generator, within one; of sets that lack clips there may be fewer."""
    gaps, codes = _lacking(facts), _codes(facts)
    for clips in _clips_by_sheet(facts):
        shown = Counter(code for _, sets in clips for code in sets)
        whole = [shown[code] for code in codes - gaps]
        if whole and (max(whole) > min(whole) + 1 or any(shown[code] > min(whole) + 1 for code in gaps)):
            return False
    return True


def pairs_even(facts: TrialFacts) -> bool:
    """Whether sheets differ little in each generator's pairs and in its sides; checked where no pair is missing."""
    if _lacking(facts):
        return True
    for clips in _clips_by_sheet(facts):
        left, right = (Counter(sets[side] for _, sets in clips) for side in (0, 1))
        pairs = [left[code] + right[code] for code in _codes(facts)]
        sides = [abs(left[code] - right[code]) for code in _codes(facts)]
        if max(pairs) - min(pairs) > PAIRS_OFF or max(sides) > PAIRS_OFF:
            return False
    return True


def _clips_by_sheet(facts: TrialFacts) -> Iterator[set[tuple[str, tuple[str, ...]]]]:
    """Yield each sheet's clips, or pairs of clips: prompt and sets."""
    sheets: dict[int, set[tuple[str, tuple[str, ...]]]] = defaultdict(set)
    for slot in facts.slots:
        sheets[slot.sheet].add((slot.group, cell_of(slot.half).sets))
    yield from sheets.values()


def _codes(facts: TrialFacts) -> set[str]:
    return {code for slot in facts.slots for code in cell_of(slot.half).sets}


def _lacking(facts: TrialFacts) -> set[str]:
    """The sets without a clip of some prompt and take that others have; of pairs, those that miss some pair."""
    cells = [(slot.group, cell_of(slot.half)) for slot in facts.slots]
    each = {(prompt, cell.take, cell.sets) for prompt, cell in cells}
    places = len({(prompt, take) for prompt, take, _ in each})
    whole = places * max(1, 2 * (len(_codes(facts)) - 1) * any(len(cell.sets) > 1 for _, cell in cells))
    n = Counter(code for _, _, sets in each for code in sets)
    return {code for code in n if n[code] < whole}


ONE_CLIP = Invariant("one-clip-a-prompt", "nobody sees a prompt by two generators", one_clip_of_a_prompt)
PAGES = Invariant("page-order", "all pages about a clip follow each other, in order", pages_in_order)
COMMON = (invariants.EXACTLY_K, invariants.NO_OVERFILL, invariants.ONCE_A_PERSON, invariants.WHOLE_SHEETS)
OF_CLIPS = (
    *COMMON,
    ONE_CLIP,
    PAGES,
    Invariant("even-generators", "sheets have as many clips of each generator, within one", generators_even),
)
OF_PAIRS = (
    *COMMON,
    ONE_CLIP,
    Invariant("even-pairs", "generators, and the sides of each, differ by three pairs at most on a sheet", pairs_even),
)
