"""The invariants of a protocol, which `verify_trial` checks on every trial."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, evened


@dataclass(frozen=True)
class SlotFact:
    """One slot and the number of its counted judgments."""

    sheet: int
    item: str
    group: str
    counted: int
    condition: str = ""
    clips: tuple[str, ...] = ()
    half: str = ""
    position: int = 0
    is_second: bool = False  # of a second round, whose sheets are balanced separately


@dataclass(frozen=True)
class TrialFacts:
    """The facts of a trial that invariants are checked on. `per_person` maps random codes to the items answered."""

    replicates: int  # wanted for each item and condition
    slots: tuple[SlotFact, ...]
    per_person: dict[str, tuple[str, ...]]
    counted_unfinished: int = 0  # counted judgments of people who have not finished


@dataclass(frozen=True)
class Invariant:
    """One condition that must hold at every moment of a trial."""

    name: str
    about: str
    holds: Callable[[Any], bool]  # takes `TrialFacts`, or the facts of a staged protocol


def exactly_k_slots(facts: TrialFacts) -> bool:
    first = [slot for slot in facts.slots if not slot.is_second]
    return set(Counter((slot.item, slot.condition) for slot in first).values()) <= {facts.replicates}


def at_most_one_counted(facts: TrialFacts) -> bool:
    return all(slot.counted <= 1 for slot in facts.slots)


def one_of_a_group(facts: TrialFacts) -> bool:
    return max(Counter((slot.sheet, slot.group) for slot in facts.slots).values(), default=0) <= 1


def one_item_once(facts: TrialFacts) -> bool:
    return all(len(items) == len(set(items)) for items in facts.per_person.values())


def finished_people_alone_count(facts: TrialFacts) -> bool:
    return facts.counted_unfinished == 0


def even_sheets(facts: TrialFacts) -> bool:
    return all(_are_even(one) for one in _rounds(facts))


def _are_even(facts: TrialFacts) -> bool:
    lengths = Counter(slot.sheet for slot in facts.slots).values()
    return max(lengths, default=0) - min(lengths, default=0) <= 1


def _rounds(facts: TrialFacts) -> list[TrialFacts]:
    """The facts of each round separately."""
    return [
        replace(facts, slots=tuple(slot for slot in facts.slots if slot.is_second is is_second))
        for is_second in (False, True)
    ]


def even_answers(facts: TrialFacts) -> bool:
    """Whether no swap of two slots of one test would bring two sheets closer to an equal share of each half.

    Where all sheets have the same tests and these have two halves, this means that counts differ by one at most.
    """
    return all(_have_even_answers(one) for one in _rounds(facts))


def _have_even_answers(facts: TrialFacts) -> bool:
    known = {slot.item: PoolItem(slot.item, slot.group, slot.half) for slot in facts.slots}
    sheets = _by_sheet(facts, "item", "half")
    planned = [tuple(PlannedSlot(item, 0) for item, _ in slots) for slots in sheets.values()]
    return evened(planned, known, seed=0) == tuple(planned)


def even_order(facts: TrialFacts) -> bool:
    """Whether as many sheets begin with each of the two conditions."""
    first = {slot.sheet: slot for slot in sorted(facts.slots, key=lambda slot: -slot.position)}
    begun = Counter(slot.condition for slot in first.values())
    return len(first) == 2 * facts.replicates and set(begun.values()) == {facts.replicates}


EXACTLY_K = Invariant("exactly-k-slots", "every item is wanted exactly k times", exactly_k_slots)
NO_OVERFILL = Invariant("no-overfill", "no slot has more than one counted judgment", at_most_one_counted)
ONE_A_GROUP = Invariant("one-a-test", "no sheet has two items of one test", one_of_a_group)
ONCE_A_PERSON = Invariant("once-a-person", "nobody judged an item twice", one_item_once)
WHOLE_SHEETS = Invariant("whole-sheets", "judgments count only of people who finished", finished_people_alone_count)
OF_EVERY_DESIGN = (EXACTLY_K, NO_OVERFILL, ONCE_A_PERSON, WHOLE_SHEETS)
EVEN_SHEETS = Invariant("even-sheets", "sheets differ by one trial at most", even_sheets)
EVEN_ANSWERS = Invariant("even-answers", "sheets have as many items of each half, within one", even_answers)
EVEN_ORDER = Invariant("even-order", "half of the sheets begin with sound", even_order)


def every_item_both_ways(facts: TrialFacts) -> bool:
    """Whether each item is wanted k times under each of two conditions."""
    conditions = {slot.condition for slot in facts.slots}
    wanted = Counter((slot.item, slot.condition) for slot in facts.slots)
    return len(conditions) == 2 and all(
        wanted[slot.item, condition] == facts.replicates for slot in facts.slots for condition in conditions
    )


def one_condition_a_sheet(facts: TrialFacts) -> bool:
    return max(Counter((slot.sheet, slot.item) for slot in facts.slots).values(), default=0) <= 1


def clips_apart(facts: TrialFacts) -> bool:
    """Whether no sheet shows a clip both with sound and without."""
    seen = {(slot.sheet, clip): slot.condition for slot in facts.slots for clip in slot.clips}
    return all(seen[slot.sheet, clip] == slot.condition for slot in facts.slots for clip in slot.clips)


def two_groups(facts: TrialFacts) -> bool:
    """Whether there are two kinds of sheets, k of each, with opposite conditions."""
    kinds = Counter(frozenset(entries) for entries in _by_sheet(facts, "item", "condition").values())
    turned = [dict(kind) for kind in kinds]
    return (
        set(kinds.values()) == {facts.replicates}
        and len(turned) == 2
        and all(turned[1].get(item, condition) != condition for item, condition in turned[0].items())
    )


def parts_apart(facts: TrialFacts) -> bool:
    """Whether any two sheets ask the same questions or have none in common."""
    parts = {frozenset(items) for items in _by_sheet(facts, "item").values()}
    return sum(map(len, parts)) == len({item for part in parts for item in part})


def _by_sheet(facts: TrialFacts, *names: str) -> dict[int, list]:
    sheets = defaultdict(list)
    for slot in facts.slots:
        values = tuple(getattr(slot, name) for name in names)
        sheets[slot.sheet].append(values if len(values) > 1 else values[0])
    return sheets


BOTH_WAYS = Invariant("both-ways", "every item is wanted k times with sound and k times without", every_item_both_ways)
ONCE_A_SHEET = Invariant("once-a-sheet", "no sheet has an item twice, under whatever condition", one_condition_a_sheet)
CLIPS_APART = Invariant("clips-apart", "on no sheet is a clip shown both with sound and without", clips_apart)
TWO_GROUPS = Invariant("two-groups", "there are k sheets of each of two kinds, crossed", two_groups)
PARTS_APART = Invariant("parts-apart", "two sheets ask the same questions or have none in common", parts_apart)
