"""Who may know what of an item, and its answer for those. A view makes its reader once and passes it down."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest

from benchmarks.models.answers import ItemAnswer, ItemSeal
from benchmarks.models.id_list import IdList
from benchmarks.models.items import OPEN_KINDS, Item

WITHHELD = "answers"  # `by` of the seal on an item whose answer serves scoring alone


class Fact(Enum):
    """What may be known of an item."""

    EXISTENCE = auto()  # that it exists, with its text and its clips; closed by the seal of a study
    ANSWER = auto()  # its answer, and each score, vote, flag or order from which the answer follows


@dataclass(frozen=True)
class Reader:
    """Who asks. Staff see what studies seal, authors what their own studies seal; a withheld answer is seen by nobody.

    Only scorers know every answer: workers, checks of uploads and standings, which print nothing that tells one.
    """

    is_staff: bool = False
    own_seals: frozenset[str] = field(default_factory=frozenset)
    is_scorer: bool = False


PUBLIC, STAFF, SCORER = Reader(), Reader(is_staff=True), Reader(is_scorer=True)


def reader_of(request: HttpRequest) -> Reader:
    """The reader behind this request."""
    return STAFF if request.user.is_staff else PUBLIC


def known_answers(item: str = "") -> Exists:
    """Condition for scorers: the expected answer of the item is here, whether it may be told or not."""
    key = f"{item}_id" if item else "pk"
    return Exists(ItemAnswer.objects.filter(item=OuterRef(key), expected__isnull=False))


def open_facts(item: Item, *, to: Reader) -> frozenset[Fact]:
    """The facts of one item that are open to the reader."""
    columns = {fact.name: open_to(to, fact) for fact in Fact}
    row = Item.objects.filter(pk=item.pk).annotate(**columns).values(*columns).get()
    return frozenset(fact for fact in Fact if row[fact.name])


def open_to(reader: Reader, fact: Fact, item: str = "") -> Q:
    """Condition for items, or for rows with a relation `item` to one, that this fact is open to the reader."""
    key = f"{item}_id" if item else "pk"
    if reader.is_scorer:
        return Q(**{f"{key}__isnull": False})
    closing = ItemSeal.objects.filter(item=OuterRef(key))
    if reader.is_staff:
        closing = closing.filter(by=WITHHELD)
    elif reader.own_seals:
        closing = closing.exclude(by__in=sorted(reader.own_seals))
    if fact == Fact.EXISTENCE:
        return Q(~Exists(closing.exclude(by=WITHHELD)))
    return Q(~Exists(closing)) & (
        Q(known_answers(item)) | Q(**{f"{item}__answer_kind__in" if item else "answer_kind__in": OPEN_KINDS})
    )


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
