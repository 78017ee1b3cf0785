"""Attention items: clips with an obvious answer, mixed into a sheet.

Their answers have their own table, so that no slot, vote or export of judgments can include them. A participant who
misses one is flagged for staff; nobody is rejected for it, and answers are left out only by a rule that the protocol
names.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from benchmarks.models import Item
from humantrials.assignment.answers import slots_of
from humantrials.assignment.leases import locked, prolong
from humantrials.errors import BadAnswer
from humantrials.models import AttentionAnswer, Participant, ParticipantState, Sheet, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.protocol import Protocol
from humantrials.studies.item_pool import drawn_from


@dataclass(frozen=True)
class SheetQuestion:
    """One question on a person's sheet: a slot, or an attention item with a position after all slots."""

    position: int
    item_id: int
    condition: str


def asked_of(person: Participant, *, with_attention: bool = True) -> list[SheetQuestion]:
    """All questions of the sheet in order; attention items are at drawn places after the first clip."""
    asked = [SheetQuestion(slot.position, slot.item_id, slot.condition) for slot in slots_of(person)]
    has_attention = with_attention and find_protocol(person.trial.protocol).screening.attention_items
    if not has_attention or person.sheet is None:
        return asked
    return _with_attention(asked, person.trial, person.sheet)


def _with_attention(asked: list[SheetQuestion], trial: Trial, sheet: Sheet) -> list[SheetQuestion]:
    extra = attention_items(trial, sheet)
    seed, length = f"{trial.draw_seed}/attention/{sheet.order}", len(asked)
    places = sorted(range(1, length), key=lambda place: lot(seed, place))[: len(extra)]
    placed = [(place, length + number, item) for number, (place, item) in enumerate(zip(places, extra, strict=False))]
    for place, position, item in sorted(placed, key=lambda one: one[0], reverse=True):
        asked.insert(place, SheetQuestion(position, item.pk, asked[place].condition))
    return asked


def items_of(person: Participant, asked: Sequence[SheetQuestion]) -> dict[int, Item]:
    """The items of these questions by id, with the media that their pages show."""
    wanted = {one.item_id for one in asked}
    protocol = find_protocol(person.trial.protocol)
    if protocol.player.clips > 1 or protocol.player.has_pictures:
        return Item.objects.order_by().prefetch_related("media__clip").in_bulk(wanted)
    known = {slot.item_id: slot.item for slot in slots_of(person)}  # such a page shows only the clip
    return known if wanted <= known.keys() else known | Item.objects.order_by().in_bulk(wanted - known.keys())


def attention_items(trial: Trial, sheet: Sheet) -> list[Item]:
    """The sheet's attention items, drawn by the trial's seed; neither in the pool nor the practice clip."""
    protocol = find_protocol(trial.protocol)
    if not protocol.screening.attention_items:
        return []
    used = {trial.practice_id, *trial.slots.values_list("item_id", flat=True)}
    found = {item.pk: item for source in protocol.screening.attention for item in drawn_from(source, trial.pack)}
    free = [item for pk, item in found.items() if pk not in used]
    seed = f"{trial.draw_seed}/attention/{sheet.order}"
    return sorted(free, key=lambda item: lot(seed, item.draw_key))[: protocol.screening.attention_items]


def find_asked(person: Participant, position: int) -> SheetQuestion | None:
    """The question at this position of the person's sheet, or None."""
    return next((one for one in asked_of(person) if one.position == position), None)


def accepts(protocol: Protocol, answer: str, asked: SheetQuestion) -> bool:
    """Whether this is one of the question's answers."""
    return protocol.player.accepts(answer, Item.objects.get(pk=asked.item_id))


@transaction.atomic
def record_attention(*, participant: Participant, position: int, answer: str, records: dict[str, Any]) -> str | None:
    """Store the answer to an attention item, or return the first one; None if the position is a slot's."""
    person = locked(participant)
    if not person.sheet_id or any(slot.position == position for slot in slots_of(person)):
        return None
    asked, protocol = find_asked(person, position), find_protocol(person.trial.protocol)
    if asked is None or person.state != ParticipantState.CONSENTED or not accepts(protocol, answer, asked):
        raise BadAnswer("not an answer to one of your clips")
    prolong(person)
    defaults = {"item_id": asked.item_id, "answer": answer, "raw": answer, **records}
    kept, _ = AttentionAnswer.objects.get_or_create(participant=person, position=position, defaults=defaults)
    return kept.answer


def missed(trial: Trial) -> dict[int, int]:
    """The number of wrong attention answers by participant; 0 for a participant who got all right."""
    columns = ("participant", "answer", "item__expected")
    answers = AttentionAnswer.objects.filter(participant__trial=trial).values_list(*columns)
    wrong: Counter[int] = Counter()
    for person, answer, expected in answers:
        wrong[person] += int(answer != expected)
    return dict(wrong)
