"""Verification of a trial: recomputes its design from the seed and checks every invariant."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
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
    pool = pool_items(find_protocol(trial.protocol), items_of(trial))
    facts = facts_of(trial, pool)
    about = "the stored sheets are those that the seed gives"
    design = InvariantCheck("design", about, _follows_design(trial, pool))
    return report_of(trial, design, facts, [slot.counted for slot in facts.slots])


def _slots(trial: Trial, pool: Sequence[PoolItem], replicates: int) -> Iterator[SlotFact]:
    known, counted = {one.item: one for one in pool}, Count("judgments", filter=Q(judgments__counts=True))
    columns = ("sheet__order", "item__draw_key", "counted", "condition", "position", "replicate")
    rows = trial.slots.annotate(counted=counted).values_list(*columns)
    for sheet, item, count, condition, position, replicate in rows:
        own, is_spare = known[item], replicate >= replicates
        yield SlotFact(sheet, item, own.group, count, condition, own.clips, own.half, position, is_spare)


def facts_of(trial: Trial, pool: Sequence[PoolItem]) -> TrialFacts:
    replicates, answers = replicates_of(trial), defaultdict(list)
    for code, item in trial.judgments.values_list("participant__code", "item__draw_key"):
        answers[code].append(item)
    counted = trial.judgments.filter(counts=True)
    return TrialFacts(
        replicates=replicates,
        slots=tuple(_slots(trial, pool, replicates)),
        per_person={code: tuple(items) for code, items in answers.items()},
        counted_unfinished=counted.exclude(participant__state=ParticipantState.FINISHED).count(),
    )


def _follows_design(trial: Trial, pool: Sequence[PoolItem]) -> bool:
    """Whether the stored sheets are, in order, those that the seed gives: by the design, then by a second round.

    How many slots of it each half of a group has was fixed before any answer.
    """
    stored, replicates, seed = stored_sheets(trial), replicates_of(trial), trial.draw_seed
    second = SecondRound.objects.filter(trial=trial).first()
    end = second.first_sheet if second else len(stored)
    again = find_protocol(trial.protocol).design.compose(pool, replicates, seed)
    if list(again) != stored[:end] or design_hash(again) != trial.design_hash:
        return False
    if second is None:
        return True
    again = second_sheets(pool, second.sizes, replicates, seed)
    is_same = list(again) == stored[end:] and design_hash(again) == second.design_hash
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
