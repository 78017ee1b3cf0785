"""Opens the answers of items to who may know them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery

from benchmarks.disclosure.readers import PUBLIC, Fact, Reader, known_answers, open_to
from benchmarks.models.answers import ItemAnswer
from benchmarks.models.id_list import IdList
from benchmarks.models.items import Item

BATCH = 500


@dataclass(frozen=True)
class Answer:
    """What a reader may know of one item's answer: nothing, if it is closed to them."""

    expected: str | None = None
    reference: Mapping[str, Any] = field(default_factory=dict)


NOTHING = Answer()


def open_answers(items: Iterable[Item | int], *, to: Reader) -> dict[int, Answer]:
    """The answers of these items by id; an item that is closed to the reader has an empty one."""
    ids = [item.pk if isinstance(item, Item) else item for item in items]
    rows = ItemAnswer.objects.filter(open_to(to, Fact.ANSWER, "item"), item__in=IdList(ids))
    known = {row.item_id: Answer(row.expected, row.reference) for row in rows}
    return {pk: known.get(pk, NOTHING) for pk in ids}


def expected_of(item: Item, *, to: Reader) -> str | None:
    """The expected answer of one item; None if it isn't known here, is free text, or is closed to the reader."""
    return open_answers([item], to=to)[item.pk].expected


def with_expected(rows: QuerySet[Any], *, to: Reader, item: str = "") -> QuerySet[Any]:
    """These items, or rows with a relation `item` to one, with the column `expected`; NULL where it is closed."""
    key = f"{item}_id" if item else "pk"
    known = ItemAnswer.objects.filter(open_to(to, Fact.ANSWER, "item"), item=OuterRef(key))
    return rows.annotate(expected=Subquery(known.values("expected"), output_field=CharField(null=True)))


def tells_secret(item: str = "") -> Q:
    """Condition that a page with the item and its answer would tell the public something that is closed to it."""
    is_secret = known_answers(item) & ~open_to(PUBLIC, Fact.ANSWER, item)
    return ~open_to(PUBLIC, Fact.EXISTENCE, item) | Q(is_secret)


def store_answers(known: Mapping[int, Answer]) -> None:
    """Store what a release tells of new items' answers."""
    ItemAnswer.objects.bulk_create(
        (
            ItemAnswer(item_id=pk, expected=answer.expected, reference=dict(answer.reference))
            for pk, answer in known.items()
            if answer != NOTHING
        ),
        BATCH,
    )
