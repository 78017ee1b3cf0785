"""A second round: once the first is complete, more answers where people disagreed, and weights that stay unbiased."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from benchmarks.disclosure import with_expected
from benchmarks.models import Item
from humantrials.assignment.item_pool import items_of, pool_items
from humantrials.errors import BadSetting, WrongState
from humantrials.models import RUNNING, Judgment, SecondRound, Sheet, SheetState, Slot, Trial
from humantrials.permissions import results_reader
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import PlannedSlot, PoolItem, design_hash, evened, lot
from humantrials.protocols.designs.balanced import Sheet as PlannedSheet
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import setting
from measures.estimate import StagedAnswer, allotted, disagreement, figure_of_answers, first_share, weights_of
from measures.figures import PeopleFigure
from measures.scores.scoring import exact_match

Cell = tuple[str, str]  # group and half


def fewest_sheets(pool: Sequence[PoolItem]) -> int:
    """The smallest round in which each item gets an answer."""
    sizes = Counter((pool_item.group, pool_item.half) for pool_item in pool)
    sizes_of = Counter(group for group, _ in sizes)
    return max((sizes_of[group] * size for (group, _), size in sizes.items()), default=0)


def slots_of_cells(pool: Sequence[PoolItem], sheets: int, seed: int) -> dict[Cell, int]:
    """The number of slots for each half of a group, fixed before any answer; the remainder goes to random halves."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for group, half in sorted({(pool_item.group, pool_item.half) for pool_item in pool}):
        by_group[group].append(half)
    found: dict[Cell, int] = {}
    for group, names in by_group.items():
        shuffled = sorted(names, key=lambda half: lot(f"{seed}/second/half", group, half))
        found |= {(group, half): sheets // len(names) + (n < sheets % len(names)) for n, half in enumerate(shuffled)}
    return found


def sizes_of(pool: Sequence[PoolItem], differ: Mapping[str, float], sheets: int, seed: int) -> dict[str, int]:
    """The number of further answers to each item, by how far its answers differ."""
    cells: dict[Cell, list[str]] = defaultdict(list)
    for one in sorted(pool, key=lambda pool_item: lot(f"{seed}/second/tie", pool_item.item)):
        cells[one.group, one.half].append(one.item)
    found: dict[str, int] = {}
    for cell, slots in slots_of_cells(pool, sheets, seed).items():
        found |= allotted({item: differ[item] for item in cells[cell]}, slots)
    return found


def second_sheets(
    pool: Sequence[PoolItem], sizes: Mapping[str, int], replicates: int, seed: int
) -> tuple[PlannedSheet, ...]:
    """The round's sheets; its slots go on from the first round's replicates."""
    groups: dict[str, list[PlannedSlot]] = defaultdict(list)
    for one in pool:
        groups[one.group] += [PlannedSlot(one.item, replicates + number) for number in range(sizes[one.item])]
    sheets: list[list[PlannedSlot]] = [[] for _ in range(max(map(len, groups.values()), default=0))]
    for group, slots in sorted(groups.items()):
        shuffled = sorted(slots, key=lambda slot: lot(f"{seed}/second/{group}", slot.item, slot.replicate))
        for sheet, slot in zip(sheets, shuffled, strict=False):
            sheet.append(slot)
    even = evened([tuple(sheet) for sheet in sheets], {pool_item.item: pool_item for pool_item in pool}, seed)
    return tuple(
        tuple(sorted(sheet, key=lambda slot: lot(f"{seed}/second/order/{number}", slot.item)))
        for number, sheet in enumerate(even)
    )


def keeps_cells(pool: Sequence[PoolItem], sizes: Mapping[str, int], sheets: int, seed: int) -> bool:
    """Whether every item is asked and each half of a group has the slots that were fixed before any answer."""
    known = {pool_item.item: (pool_item.group, pool_item.half) for pool_item in pool}
    if set(sizes) != set(known) or min(sizes.values(), default=1) < 1:
        return False
    found: Counter[Cell] = Counter()
    for item, size in sizes.items():
        found[known[item]] += size
    return dict(found) == slots_of_cells(pool, sheets, seed)


@dataclass(frozen=True)
class RoundProgress:
    """The progress of the first round, and whether the second was drawn."""

    wanted: int  # sheets of the second round
    done: int  # sheets of the first round
    of: int
    has_begun: bool

    @property
    def is_due(self) -> bool:
        return self.done == self.of and not self.has_begun


def check_second_round(protocol: Protocol, wanted: int | None, pool: Sequence[PoolItem]) -> None:
    """Raises BadSetting if the protocol has no second round, or if so few sheets can't ask every item once."""
    if wanted is None:
        return
    if not protocol.design.may_adapt:
        raise BadSetting(f"{protocol.name} has no second round", "second_round")
    fewest = fewest_sheets(pool)
    if wanted < fewest:
        raise BadSetting(f"{wanted} sheets can't ask every item once more: {fewest} can", "second_round")


def replicates_of(trial: Trial) -> int:
    """Answers wanted for each item in the first round; slots with a higher replicate belong to the second."""
    return setting(trial.settings, "replicates", find_protocol(trial.protocol))


def of_first_round(trial: Trial, judgments: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """These judgments without those of a second round."""
    return judgments.filter(slot__replicate__lt=replicates_of(trial)) if has_second_round(trial) else judgments


def has_second_round(trial: Trial) -> bool:
    """Whether one was registered."""
    return "second_round" in trial.settings


def round_progress(trial: Trial) -> RoundProgress | None:
    """None if the study has no second round."""
    if not has_second_round(trial):
        return None
    second = SecondRound.objects.filter(trial=trial).first()
    sheets = trial.sheets.filter(order__lt=second.first_sheet) if second else trial.sheets.all()
    done = sheets.filter(state=SheetState.DONE).count()
    return RoundProgress(trial.settings["second_round"], done, sheets.count(), second is not None)


@transaction.atomic
def draw_second_round(*, trial: Trial, by: User | None = None) -> None:
    """Draw the second round's sheets by how far the first answers differ; nothing happens if they exist."""
    found = Trial.objects.select_for_update().get(pk=trial.pk)
    progress = round_progress(found)
    if progress is None:
        raise WrongState(f"{trial.slug} has no second round: it is a setting of the draft")
    if progress.has_begun:
        return
    if found.state not in RUNNING:
        raise WrongState(f"the trial {trial.slug} is {found.state}: its second round is drawn while it is open")
    if not progress.is_due:
        raise WrongState(f"{progress.done} of {progress.of} sheets of the first round are finished; all must be")
    items = items_of(found)
    pool = pool_items(find_protocol(found.protocol), items)
    sizes = sizes_of(pool, _differing(found, items), progress.wanted, found.draw_seed)
    planned, first = second_sheets(pool, sizes, replicates_of(found), found.draw_seed), found.sheets.count()
    SecondRound.objects.create(trial=found, sizes=sizes, first_sheet=first, design_hash=design_hash(planned))
    store_sheets(found, planned, items, first=first)
    note = f"{progress.wanted} sheets, {min(sizes.values())} to {max(sizes.values())} further answers per item"
    found.events.create(kind="second round", note=note, by=by)
    trial.refresh_from_db()


def _differing(trial: Trial, items: Sequence[Item]) -> dict[str, float]:
    """How far the answers to each item differ, by its draw key."""
    answers: dict[int, Counter[str]] = defaultdict(Counter)
    for item, answer in trial.judgments.filter(counts=True).values_list("item_id", "answer"):
        answers[item][answer] += 1
    player = find_protocol(trial.protocol).player
    return {item.draw_key: disagreement(answers[item.pk].values(), len(player.options_for(item))) for item in items}


def store_sheets(trial: Trial, planned: Sequence[PlannedSheet], items: Iterable[Item], *, first: int = 0) -> None:
    """Store these sheets, counted from `first`, with their slots."""
    orders = range(first, first + len(planned))
    sheets = Sheet.objects.bulk_create([Sheet(trial=trial, order=order) for order in orders], batch_size=500)
    by_key, usual = {item.draw_key: item for item in items}, find_protocol(trial.protocol).design.condition
    slots = (
        Slot(
            trial=trial,
            sheet=sheet,
            item=by_key[slot.item],
            condition=slot.condition or usual,
            replicate=slot.replicate,
            position=position,
        )
        for sheet, slots in zip(sheets, planned, strict=True)
        for position, slot in enumerate(slots)
    )
    Slot.objects.bulk_create(slots, batch_size=500)


def due_for_second_round() -> list[Trial]:
    """The open studies whose first round is complete and whose second was not drawn."""
    found = Trial.objects.filter(state__in=RUNNING, settings__has_key="second_round", second_round=None)
    return [trial for trial in found if (progress := round_progress(trial)) and progress.is_due]


def answer_weights(trial: Trial, answers: Sequence[tuple[int, int]]) -> list[float]:
    """The weight of each answer, given as item and replicate; those of one item sum to 1.

    Where an item of a test's half has no answer of the second round (yet, or because people are left out), no item of
    that half has: which items lack one depends on what the first round said.
    """
    replicates = replicates_of(trial)
    items = items_of(trial)
    keys = {item.draw_key: item.pk for item in items}
    pool = pool_items(find_protocol(trial.protocol), items)
    slots = slots_of_cells(pool, trial.settings.get("second_round", 0), trial.draw_seed)
    again = {item for item, replicate in answers if replicate >= replicates}
    shares: dict[int, float] = {}
    for (group, half), size in slots.items():
        cell = [keys[pool_item.item] for pool_item in pool if (pool_item.group, pool_item.half) == (group, half)]
        is_complete = again.issuperset(cell)
        shares |= dict.fromkeys(cell, first_share(replicates, size / len(cell)) if is_complete else 1.0)
    staged = [StagedAnswer(item, replicate >= replicates) for item, replicate in answers]
    counted = [one for one in staged if not (one.is_second and shares[one.item] == 1.0)]
    weights = dict(zip(counted, weights_of(counted, shares), strict=True))
    return [weights.get(one, 0.0) for one in staged]


def weighted_share(trial: Trial, judgments: QuerySet[Judgment]) -> PeopleFigure | None:
    """The share of right answers among these of both rounds, with each item counted alike; None without any."""
    columns = ("item_id", "slot__replicate", "participant", "answer")
    known = with_expected(judgments, to=results_reader(trial), item="item").filter(expected__isnull=False)
    rows = list(known.order_by("pk").values_list(*columns, "expected"))
    weights = answer_weights(trial, [row[:2] for row in rows])
    if not sum(weights):
        return None
    values = [exact_match(answer, expected) for *_, answer, expected in rows]
    return figure_of_answers(values, [row[2] for row in rows], [row[0] for row in rows], weights=weights)
