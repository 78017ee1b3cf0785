"""Verification of a trial: recomputes its design from the seed and checks every invariant."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from humantrials.assignment.item_pool import items_of, pool_items
from humantrials.assignment.sheets import answers_in
from humantrials.kinds import kind_of
from humantrials.models import ParticipantState, SecondRound, Slot, Trial
from humantrials.planning.second_round import keeps_cells, replicates_of, second_sheets
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, design_hash
from humantrials.protocols.designs.balanced import Sheet as PlannedSheet
from humantrials.protocols.invariants import SlotFact, TrialFacts


@dataclass(frozen=True)
class InvariantCheck:
    """One invariant, and whether it holds."""

    name: str
    about: str
    holds: bool


@dataclass(frozen=True)
class VerificationReport:
    """The facts of a trial as `verify_trial` prints them."""

    facts: dict[str, Any]
    invariants: tuple[InvariantCheck, ...]

    @property
    def passed(self) -> int:
        """How many invariants hold."""
        return len(self.invariants) - len(self.broken)

    @property
    def broken(self) -> list[InvariantCheck]:
        return [invariant for invariant in self.invariants if not invariant.holds]


def verify(trial: Trial) -> VerificationReport:
    return kind_of(trial).verify(trial)


def report_of(trial: Trial, design: InvariantCheck, facts: Any, counted: Sequence[int]) -> VerificationReport:
    """The report of a kind of study: its design, its answers, and its protocol's invariants on these facts.

    `counted` has the number of answers that count to each slot, or to what such a study has for slots.
    """
    answers = answers_in(trial).in_trial(trial)
    report = {
        "trial": trial.slug,
        "state": trial.state,
        "simulated": trial.is_simulated,
        "sheets": trial.sheets.count(),
        "slots": len(counted),
        "filled": sum(count == 1 for count in counted),
        "overfilled": sum(count > 1 for count in counted),
        "counted": sum(counted),
        "surplus": answers.filter(is_surplus=True).count(),
        "excluded": answers.filter(participant__state=ParticipantState.EXCLUDED).count(),
        "design_ok": design.holds,
    }
    invariants = find_protocol(trial.protocol).design.invariants
    found = (InvariantCheck(invariant.name, invariant.about, invariant.holds(facts)) for invariant in invariants)
    return VerificationReport(report, (design, *found))


def verify_slots(trial: Trial) -> VerificationReport:
    facts = facts_of(trial)
    follows = _first_follows_design(trial) and _second_follows_design(trial)
    design = InvariantCheck("design", "the stored sheets are those that the seed gives", follows)
    return report_of(trial, design, facts, [slot.counted for slot in facts.slots])


def _slots(trial: Trial, known: Mapping[str, PoolItem], replicates: int) -> Iterator[SlotFact]:
    counted = Count("judgments", filter=Q(judgments__counts=True))
    columns = ("sheet__order", "item__draw_key", "counted", "condition", "position", "replicate")
    for sheet, item, count, condition, position, replicate in trial.slots.annotate(counted=counted).values_list(
        *columns
    ):
        own, is_spare = known[item], replicate >= replicates
        yield SlotFact(sheet, item, own.group, count, condition, own.clips, own.half, position, is_spare)


def facts_of(trial: Trial) -> TrialFacts:
    protocol = find_protocol(trial.protocol)
    replicates = replicates_of(trial)
    known = {one.item: one for one in pool_items(protocol, items_of(trial))}
    answers = defaultdict(list)
    for code, item in trial.judgments.values_list("participant__code", "item__draw_key"):
        answers[code].append(item)
    return TrialFacts(
        replicates=replicates,
        slots=tuple(_slots(trial, known, replicates)),
        per_person={code: tuple(items) for code, items in answers.items()},
        counted_unfinished=trial.judgments.filter(counts=True)
        .exclude(participant__state=ParticipantState.FINISHED)
        .count(),
    )


def _first_follows_design(trial: Trial) -> bool:
    """Whether the protocol's design gives exactly the stored sheets from the seed and the items, in order."""
    protocol, stored = find_protocol(trial.protocol), stored_sheets(trial)
    if second := SecondRound.objects.filter(trial=trial).first():
        stored = stored[: second.first_sheet]
    again = protocol.design.compose(pool_items(protocol, items_of(trial)), replicates_of(trial), trial.draw_seed)
    return list(again) == stored and design_hash(again) == trial.design_hash


def _second_follows_design(trial: Trial) -> bool:
    """Whether the sheets of a second round are those that its sizes and the seed give, with the slots fixed before."""
    second = SecondRound.objects.filter(trial=trial).first()
    if second is None:
        return True
    pool, seed = pool_items(find_protocol(trial.protocol), items_of(trial)), trial.draw_seed
    again = second_sheets(pool, second.sizes, replicates_of(trial), seed)
    is_same = list(again) == stored_sheets(trial)[second.first_sheet :] and design_hash(again) == second.design_hash
    return is_same and keeps_cells(pool, second.sizes, trial.settings["second_round"], seed)


def stored_sheets(trial: Trial) -> list[PlannedSheet]:
    """The stored sheets in order, as their design plans them."""
    is_crossed = bool(find_protocol(trial.protocol).design.conditions)
    stored: dict[int, list[PlannedSlot]] = {order: [] for order in trial.sheets.values_list("order", flat=True)}
    slots = Slot.objects.filter(trial=trial).order_by("sheet__order", "position")
    columns = ("sheet__order", "item__draw_key", "replicate", "condition")
    for order, item, replicate, condition in slots.values_list(*columns):
        stored[order].append(PlannedSlot(item, replicate, condition if is_crossed else ""))
    return [tuple(stored[order]) for order in sorted(stored)]
