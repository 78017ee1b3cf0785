"""What a protocol promises of every trial, as facts that `verify_trial` checks."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SlotFact:
    """One slot with how many judgments it has, and how many of them count."""

    sheet: int
    item: str
    group: str
    counted: int


@dataclass(frozen=True)
class Facts:
    """A trial as promises see it. `per_person` goes from a person's random code to the items they answered."""

    replicates: int
    slots: tuple[SlotFact, ...]
    per_person: dict[str, tuple[str, ...]]
    counted_unfinished: int = 0  # counted judgments whose sheet its holder has not finished


@dataclass(frozen=True)
class Promise:
    """One thing that must hold at every moment of a trial."""

    name: str
    about: str
    holds: Callable[[Facts], bool]


def exactly_k_slots(facts: Facts) -> bool:
    return set(Counter(slot.item for slot in facts.slots).values()) <= {facts.replicates}


def at_most_one_counted(facts: Facts) -> bool:
    return all(slot.counted <= 1 for slot in facts.slots)


def one_of_a_group(facts: Facts) -> bool:
    return max(Counter((slot.sheet, slot.group) for slot in facts.slots).values(), default=0) <= 1


def one_item_once(facts: Facts) -> bool:
    return all(len(items) == len(set(items)) for items in facts.per_person.values())


def finished_sheets_alone_count(facts: Facts) -> bool:
    return facts.counted_unfinished == 0


def even_sheets(facts: Facts) -> bool:
    lengths = Counter(slot.sheet for slot in facts.slots).values()
    return max(lengths, default=0) - min(lengths, default=0) <= 1


EXACTLY_K = Promise("exactly-k-slots", "every item is wanted exactly k times", exactly_k_slots)
NO_OVERFILL = Promise("no-overfill", "no slot has more than one counted judgment", at_most_one_counted)
ONE_A_GROUP = Promise("one-a-test", "no sheet has two items of one test", one_of_a_group)
ONCE_A_PERSON = Promise("once-a-person", "nobody judged an item twice", one_item_once)
WHOLE_SHEETS = Promise("whole-sheets", "judgments count only on finished sheets", finished_sheets_alone_count)
EVEN_SHEETS = Promise("even-sheets", "sheets differ by one trial at most", even_sheets)
