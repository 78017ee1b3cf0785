"""Attention items: clips with an obvious answer among those of a sheet.

Their answers lie in a table of their own, so that no slot, vote or export of judgments can meet them. Whoever misses
one is flagged for a person to look at; nobody is rejected for it, and only a rule that the protocol names leaves
answers out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from benchmarks.models import Item
from humantrials.asked import slots_of
from humantrials.design import lot
from humantrials.errors import BadAnswer
from humantrials.leases import locked, prolong
from humantrials.models import AttentionAnswer, Participant, ParticipantState, Sheet, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.trials import drawn_from


@dataclass(frozen=True)
class Asked:
    """One question of a person's way through a sheet: of a slot, or an attention item with a position beyond them."""

    position: int
    item_id: int
    condition: str


def asked_of(person: Participant, *, with_attention: bool = True) -> list[Asked]:
    """Everything that their sheet asks, in order; the attention items stand at drawn places after the first clip."""
    asked = [Asked(slot.position, slot.item_id, slot.condition) for slot in slots_of(person)]
    has_attention = with_attention and find_protocol(person.trial.protocol).attention_items
    if not has_attention or person.sheet is None:
        return asked
    return _with_attention(asked, person.trial, person.sheet)


def _with_attention(asked: list[Asked], trial: Trial, sheet: Sheet) -> list[Asked]:
    extra = attention_items(trial, sheet)
    seed, length = f"{trial.seed}/attention/{sheet.order}", len(asked)
    places = sorted(range(1, length), key=lambda place: lot(seed, place))[: len(extra)]
    placed = [(place, length + number, item) for number, (place, item) in enumerate(zip(places, extra, strict=False))]
    for place, position, item in sorted(placed, key=lambda one: one[0], reverse=True):
        asked.insert(place, Asked(position, item.pk, asked[place].condition))
    return asked


def items_of(person: Participant, asked: Sequence[Asked]) -> dict[int, Item]:
    """The items that these questions are about, by id, with what a page shows of them."""
    wanted = {one.item_id for one in asked}
    protocol = find_protocol(person.trial.protocol)
    if protocol.clips > 1 or protocol.has_pictures:
        return Item.objects.order_by().prefetch_related("media__clip").in_bulk(wanted)
    known = {slot.item_id: slot.item for slot in slots_of(person)}  # of a single clip nothing is shown but the file
    return known if wanted <= known.keys() else known | Item.objects.order_by().in_bulk(wanted - known.keys())


def attention_items(trial: Trial, sheet: Sheet) -> list[Item]:
    """The attention items of this sheet: drawn from its trial's seed, none of the pool and not the practice clip."""
    protocol = find_protocol(trial.protocol)
    if not protocol.attention_items:
        return []
    used = {trial.practice_id, *trial.slots.values_list("item_id", flat=True)}
    found = {item.pk: item for source in protocol.attention for item in drawn_from(source, trial.pack)}
    free = [item for pk, item in found.items() if pk not in used]
    seed = f"{trial.seed}/attention/{sheet.order}"
    return sorted(free, key=lambda item: lot(seed, item.public_id))[: protocol.attention_items]


def find_asked(person: Participant, position: int) -> Asked | None:
    """What stands at this position of the person's sheet; None where nothing does."""
    return next((one for one in asked_of(person) if one.position == position), None)


def accepts(protocol: Protocol, answer: str, asked: Asked) -> bool:
    """Whether this is one of the answers to what was asked."""
    return protocol.accepts(answer, Item.objects.get(pk=asked.item_id))


@transaction.atomic
def record_attention(*, participant: Participant, position: int, answer: str, records: dict[str, Any]) -> str | None:
    """Store the answer to an attention item; the first one stands. None where the position is of no such item."""
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
    """Participant -> how many attention items were answered wrong; those who answered all right have 0."""
    columns = ("participant", "answer", "item__expected")
    answers = AttentionAnswer.objects.filter(participant__trial=trial).values_list(*columns)
    wrong: Counter[int] = Counter()
    for person, answer, expected in answers:
        wrong[person] += int(answer != expected)
    return dict(wrong)
