"""Attention items: clips with an obvious answer, mixed into a sheet.

Their answers have their own table, so that no slot, vote or export of judgments can include them. A participant who
misses one is flagged for staff; nobody is rejected for it, and answers are left out only by a rule that the protocol
or the author names.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from django.db import transaction

from benchmarks.disclosure import Fact, open_to, with_expected
from benchmarks.models import Item
from humantrials.assignment.item_pool import check_named, named_items, no_such_item, pairs_among
from humantrials.assignment.sheets import locked, prolong, slots_of
from humantrials.errors import BadAnswer, BadSetting
from humantrials.models import AttentionAnswer, Participant, ParticipantKind, ParticipantState, Preregistration, Trial
from humantrials.models.participants import TAKING_PART
from humantrials.permissions import desk_reader, results_reader
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.protocol import Protocol

MOST_OFTEN = 2  # times an item is asked on a sheet
USUAL = 2  # on each sheet, where the author names a pack alone
OPEN_TO = (ParticipantState.CONSENTED, ParticipantState.FINISHED)  # what is on its way when the sheet is finished


@dataclass(frozen=True)
class SheetQuestion:
    """One question on a person's sheet: a slot, or an attention item with a position after all slots.

    Pages and addresses show `number`, its place in the person's order: the position would tell attention items.
    """

    position: int
    item_id: int
    condition: str
    number: int


def attention_count(trial: Trial) -> int:
    """Number of attention items on each sheet."""
    return trial.settings.get("attention_items") or (USUAL if "attention" in trial.settings else 0)


def questions_of_sheet(person: Participant, *, with_withdrawn: bool = False) -> list[SheetQuestion]:
    """All questions of the sheet in order; attention items are at drawn places after the first clip.

    Those whose clip was withdrawn after the study opened are left out, and the others keep their places and numbers.
    A preview has no attention items.
    """
    questions = [SheetQuestion(slot.position, slot.item_id, slot.condition, slot.position) for slot in slots_of(person)]
    if person.is_preview or not attention_count(person.trial) or person.sheet is None:
        return questions
    extra = attention_items(person.trial, person.sheet.order)
    gone = set() if with_withdrawn else set(Item.objects.filter(pk__in=extra).withdrawn().values_list("pk", flat=True))
    placed = _with_attention(questions, extra, person.trial, person.sheet.order)
    return [one for one in placed if one.item_id not in gone]


def _with_attention(
    questions: list[SheetQuestion], extra: Sequence[int], trial: Trial, order: int
) -> list[SheetQuestion]:
    length = len(questions)
    places = places_of(len(extra), length, order, f"{trial.draw_seed}/attention")
    placed = [(place, length + number, item) for number, (place, item) in enumerate(zip(places, extra, strict=False))]
    for place, position, item in sorted(placed, reverse=True):
        questions.insert(place, SheetQuestion(position, item, questions[place].condition, place))
    return [replace(one, number=number) for number, one in enumerate(questions)]


def places_of(count: int, length: int, order: int, seed: str) -> list[int]:
    """The questions, of `length`, that attention items precede: one in each of `count` stretches, never the first.

    The place in its stretch moves on by one from sheet to sheet, so that each place is used as often as any other.
    """
    ends = [1 + (length - 1) * number // max(1, count) for number in range(count + 1)]
    stretches = [(begin, end - begin) for begin, end in pairwise(ends) if end > begin]
    return [
        begin + (int.from_bytes(lot(seed, number)[:4]) + order) % width
        for number, (begin, width) in enumerate(stretches)
    ]


def items_of(person: Participant, questions: Sequence[SheetQuestion]) -> dict[int, Item]:
    """The items of these questions by id, with the media that their pages show."""
    wanted = {question.item_id for question in questions}
    protocol = find_protocol(person.trial.protocol)
    if protocol.player.clips > 1 or protocol.player.has_pictures:
        return Item.objects.order_by().prefetch_related("media__clip").in_bulk(wanted)
    known = {slot.item_id: slot.item for slot in slots_of(person)}  # such a page shows only the clip
    return known if wanted <= known.keys() else known | Item.objects.order_by().in_bulk(wanted - known.keys())


def attention_items(trial: Trial, order: int) -> tuple[int, ...]:
    """The attention items of the sheet with this number, drawn by the trial's seed.

    None is in the pool or the practice clip. They are whole pairs of twins as far as there are some. If there are fewer
    items than wanted, some are asked twice.
    """
    count = attention_count(trial)
    return _draw(trial.pk, trial.created_at, order, trial.settings["attention"], count) if count else ()


@lru_cache(maxsize=128)  # sheets
def _draw(trial_id: int, made_at: datetime, order: int, named: str, count: int) -> tuple[int, ...]:
    """`made_at` distinguishes trials of different databases that share a number, `named` settings of a draft."""
    trial = Trial.objects.select_related("pack").get(pk=trial_id)
    used = {trial.practice_id, *trial.slots.values_list("item_id", flat=True)}
    free = [item for item in attention_pool(trial) if item.pk not in used]
    seed, pairs = f"{trial.draw_seed}/attention/{order}", pairs_among(free)
    chosen = sorted(free, key=lambda item: (item.pk not in pairs, lot(seed, pairs.get(item.pk, item.draw_key))))[:count]
    chosen.sort(key=lambda item: lot(f"{seed}/order", item.draw_key))
    return tuple(item.pk for item in (*chosen, *chosen[: count - len(chosen)]))


def attention_repeats(trial: Trial) -> int:
    """The number of attention items that each sheet asks twice, because fewer are free than it needs."""
    first = trial.sheets.order_by("order").values_list("order", flat=True).first()
    times = Counter(attention_items(trial, first) if first is not None else ())
    return sum(number > 1 for number in times.values())


def attention_items_of(trial: Trial) -> set[int]:
    """Every attention item that is on a sheet of the trial."""
    return {item for order in trial.sheets.values_list("order", flat=True) for item in attention_items(trial, order)}


def items_on_sheets(trial: Trial) -> set[int]:
    """Every item that is on a sheet of the trial: those that it asks about, and attention items."""
    return set(trial.slots.values_list("item_id", flat=True)) | attention_items_of(trial)


def attention_pool(trial: Trial) -> list[Item]:
    """The items that the author named, from which attention items are drawn.

    Those that could be shown when the study opened: an item withdrawn since must not change what other sheets drew.
    """
    opened = Preregistration.objects.filter(trial=trial.pk).values_list("frozen_at", flat=True).first()
    return named_items(find_protocol(trial.protocol), trial.pack, trial.settings["attention"], opened)


def check_attention(trial: Trial, used: Collection[int], shortest: int) -> None:
    """Raises BadSetting unless the author's settings give every sheet its attention items.

    `used` are the items that the trial asks about and its practice item; `shortest` is its shortest sheet's length.
    """
    if not {"attention", "attention_items"} & trial.settings.keys():
        return
    if "attention" not in trial.settings:
        raise BadSetting("attention items need a source pack", "attention_items")
    check_named(find_protocol(trial.protocol), trial.pack, trial.settings["attention"], to=desk_reader(trial))
    count, free = attention_count(trial), sum(item.pk not in used for item in attention_pool(trial))
    if MOST_OFTEN * free < count:
        wanted = f"each sheet needs {count}, none more often than twice"
        raise BadSetting(f"{free} of them are not in the study itself; {wanted}", "attention")
    if count >= shortest:
        raise BadSetting(f"the shortest sheet has {shortest} questions: at most {shortest - 1} fit", "attention_items")


def check_attention_is_open(trial: Trial) -> None:
    """Raises BadSetting if another study has sealed an attention item since the author chose it."""
    if "attention" not in trial.settings:
        return
    items = Item.objects.filter(pk__in=attention_items_of(trial)).select_related("pack")
    closed = items.exclude(open_to(desk_reader(trial), Fact.ANSWER)).first()
    if closed:
        raise no_such_item(closed.pack, closed.public_id)


def find_question(person: Participant, position: int, *, with_withdrawn: bool = False) -> SheetQuestion | None:
    """The question at this position of the person's sheet, or None."""
    questions = questions_of_sheet(person, with_withdrawn=with_withdrawn)
    return next((question for question in questions if question.position == position), None)


def question_at(person: Participant, number: int, *, with_withdrawn: bool = False) -> SheetQuestion | None:
    """The question that the person's pages show under this number, or None."""
    questions = questions_of_sheet(person, with_withdrawn=with_withdrawn)
    return next((question for question in questions if question.number == number), None)


def position_at(person: Participant, number: int) -> int:
    """The stored position of the question with this number on the person's pages; -1 if there is none."""
    if not attention_count(person.trial):
        return number
    found = question_at(person, number, with_withdrawn=True)
    return found.position if found else -1


def accepts(protocol: Protocol, answer: str, question: SheetQuestion) -> bool:
    """Whether this is one of the question's answers."""
    return protocol.player.accepts(answer, Item.objects.get(pk=question.item_id))


@transaction.atomic
def record_attention(*, participant: Participant, position: int, answer: str, records: dict[str, Any]) -> str | None:
    """Store the answer to an attention item, or return the first one; None if the position is a slot's."""
    person = locked(participant)
    if not person.sheet_id or any(slot.position == position for slot in slots_of(person)):
        return None
    # A page that was open when the clip was withdrawn still sends its answer.
    question, protocol = find_question(person, position, with_withdrawn=True), find_protocol(person.trial.protocol)
    if question is None or person.state not in OPEN_TO or not accepts(protocol, answer, question):
        raise BadAnswer("not an answer to one of your clips")
    prolong(person)
    defaults = {"item_id": question.item_id, "answer": answer, "raw": answer, **records}
    stored, _ = AttentionAnswer.objects.get_or_create(participant=person, position=position, defaults=defaults)
    return stored.answer


def missed(trial: Trial) -> dict[int, int]:
    """The number of attention items that each participant got wrong or passed over; 0 for who got all right.

    Answers to a withdrawn item don't count, nor those to one whose answer is unknown or hidden.
    """
    standing = AttentionAnswer.objects.filter(participant__trial=trial).exclude(item__in=Item.objects.withdrawn())
    wrong = passed_over(trial)
    known = with_expected(standing, to=results_reader(trial), item="item").filter(expected__isnull=False)
    for person, answer, expected in known.values_list("participant", "answer", "expected"):
        wrong[person] += int(answer != expected)
    return dict(wrong)


def attention_records(trial: Trial, people: Collection[int] | None) -> dict[int, list[Mapping[str, Any]]]:
    """What programs.py compares of each participant's answers to attention items (all of the trial's, or these)."""
    player = find_protocol(trial.protocol).player
    if not attention_count(trial) or player.has_moments or player.has_numbers:
        return {}
    rows = AttentionAnswer.objects.filter(participant__trial=trial, participant__kind=ParticipantKind.PERSON)
    if people is not None:
        rows = rows.filter(participant__in=people)
    items = Item.objects.select_related("pack").in_bulk(rows.order_by().values_list("item", flat=True).distinct())
    pairs, found = pairs_among(items.values()), defaultdict[int, list[Mapping[str, Any]]](list)
    columns = ("participant", "item", "answer", "expected", "seconds", "playback")
    known = with_expected(rows, to=results_reader(trial), item="item")
    for person, item, answer, expected, seconds, playback in known.values_list(*columns):
        facts = {"item": item, "answer": answer, "pair": pairs.get(item, ""), "seconds": seconds}
        facts |= {"is_right": None if expected is None else answer == expected}
        found[person].append({**playback, **facts, "options": len(player.options_for(items[item]))})
    return found


def passed_over(trial: Trial) -> Counter[int]:
    """The number of attention items without an answer of each participant who finished, where there is one.

    The pages ask them before the last question, so only requests made by hand pass them over.
    """
    if not attention_count(trial):
        return Counter()
    people = trial.participants.filter(state=ParticipantState.FINISHED, kind__in=TAKING_PART, sheet__isnull=False)
    left = {pk: Counter(attention_items(trial, order)) for pk, order in people.values_list("pk", "sheet__order")}
    items = Item.objects.filter(pk__in=set().union(*left.values()))
    standing = set(items.values_list("pk", flat=True)) - set(items.withdrawn().values_list("pk", flat=True))
    for person, item in AttentionAnswer.objects.filter(participant__in=left).values_list("participant", "item"):
        left[person][item] -= 1
    missing = {person: sum(max(0, own[item]) for item in own.keys() & standing) for person, own in left.items()}
    return Counter({person: n for person, n in missing.items() if n})
