"""What holds on the sheets of a study of generated clips, beside what holds in every study."""

from collections import Counter, defaultdict
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

from extensions.generated.rating.designs import Sets, cell_of
from humantrials.protocols import invariants
from humantrials.protocols.invariants import Invariant, TrialFacts

MOST_OFF = 3  # pairs or triples by which two generators, or the places of one, may differ on a sheet


def one_clip_of_a_prompt(facts: TrialFacts) -> bool:
    """Whether no sheet shows a prompt by two clips, or by two pairs of clips."""
    return all(len({prompt for prompt, _ in clips}) == len(clips) for clips in _sheets(facts))


def pages_in_order(facts: TrialFacts) -> bool:
    """Whether all pages about a clip follow each other, the first one first."""
    ordered = sorted(facts.slots, key=lambda slot: (slot.sheet, slot.position))
    places = [((slot.sheet, slot.group, cell_of(slot.half).sets), cell_of(slot.half).page) for slot in ordered]
    runs = [[page for _, page in run] for _, run in groupby(places, key=itemgetter(0))]
    return len(runs) == len({clip for clip, _ in places}) and all(run == sorted(run) for run in runs)


def generators_even(facts: TrialFacts) -> bool:
    """Whether sheets have as many clips of each generator, within one; of sets that lack clips there may be fewer."""
    lacking, codes = _lacking(facts), _codes(facts)
    for clips in _sheets(facts):
        n = Counter(code for _, sets in clips for code in sets)
        whole = [n[code] for code in codes - lacking]
        if whole and (max(whole) > min(whole) + 1 or any(n[code] > min(whole) + 1 for code in lacking)):
            return False
    return True


def places_even(facts: TrialFacts) -> bool:
    """Whether sheets differ little in each generator's pairs or triples and in its places; checked where none lacks."""
    codes, is_even = _codes(facts), True
    for clips in [] if _lacking(facts) else _sheets(facts):
        n = [Counter(places) for places in zip(*(sets for _, sets in clips), strict=True)]
        by_code = [[of_place[code] for of_place in n] for code in codes]
        is_even &= all(max(each) - min(each) <= MOST_OFF for each in (*by_code, list(map(sum, by_code))))
    return is_even


def _sheets(facts: TrialFacts) -> Collection[set[tuple[str, Sets]]]:
    """Each sheet's clips, or pairs of clips, as prompt and sets."""
    sheets: dict[int, set[tuple[str, Sets]]] = defaultdict(set)
    for slot in facts.slots:
        sheets[slot.sheet].add((slot.group, cell_of(slot.half).sets))
    return sheets.values()


def _codes(facts: TrialFacts) -> set[str]:
    return {code for slot in facts.slots for code in cell_of(slot.half).sets}


def _lacking(facts: TrialFacts) -> set[str]:
    """The sets without a clip of some prompt and take that others have; of pairs and triples, those that miss one."""
    cells = [(slot.group, cell_of(slot.half)) for slot in facts.slots]
    each = {(prompt, cell.take, cell.sets) for prompt, cell in cells}
    places = len({(prompt, take) for prompt, take, _ in each})
    whole = places * {1: 1, 2: 2 * (len(_codes(facts)) - 1), 3: 3}[max((len(sets) for _, _, sets in each), default=1)]
    n = Counter(code for _, _, sets in each for code in sets)
    return {code for code in n if n[code] < whole}


COMMON = (
    *(invariants.EXACTLY_K, invariants.NO_OVERFILL, invariants.ONCE_A_PERSON, invariants.WHOLE_SHEETS),
    Invariant("one-clip-a-prompt", "nobody gets a prompt again with other clips", one_clip_of_a_prompt),
)
IN_ORDER = Invariant("page-order", "all pages about a clip follow each other, in order", pages_in_order)
OF_CLIPS = (
    *COMMON,
    IN_ORDER,
    Invariant("even-generators", "sheets have as many clips of each generator, within one", generators_even),
)
EVEN = "generators, and the places of each, differ by three pairs or triples at most on a sheet"
OF_PAIRS = (*COMMON, Invariant("even-places", EVEN, places_even))
OF_TRIPLES = (*OF_PAIRS, IN_ORDER)
