"""The scores of one run, summed in the database: one tally for each facet value and clip."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce

from benchmarks.models import AnswerKind, Item, ItemFacet, ItemMedia, Pack
from evaluation.models import Cell, Run, Score

ITEM = "reading__response__cell__item"
IS_YES_NO = Q(**{f"{ITEM}__answer_kind": AnswerKind.YES_NO})
IS_POSITIVE = IS_YES_NO & Q(**{f"{ITEM}__expected": "yes"})
IS_NEGATIVE = IS_YES_NO & Q(**{f"{ITEM}__expected": "no"})
SUMS = {
    "n": Count("pk"),
    "total": Sum("value"),
    "unread": Count("pk", filter=~Q(reading__problem="")),
    "yes": Count("pk", filter=IS_YES_NO & Q(reading__answer="yes")),
    "yes_no": Count("pk", filter=IS_YES_NO),
    "positive_n": Count("pk", filter=IS_POSITIVE),
    "positive_total": Sum("value", filter=IS_POSITIVE, default=0.0),
    "negative_n": Count("pk", filter=IS_NEGATIVE),
    "negative_total": Sum("value", filter=IS_NEGATIVE, default=0.0),
}
# Where an example was shown first: of how many replies it is known, and how many gave its answer again.
REPEATS = {
    "exampled": Count("pk", filter=Q(example__isnull=False)),
    "repeats": Count("pk", filter=Q(reading__answer=F("example"))),
}


@dataclass(frozen=True)
class ClipTally:
    """What was answered about one clip (or one text item), over its questions and seeds."""

    n: int
    total: float
    unread: int
    yes: int
    yes_no: int
    positive_n: int
    positive_total: float
    negative_n: int
    negative_total: float
    exampled: int = 0
    repeats: int = 0


Groups = dict[tuple[str, str], list[ClipTally]]


def scores_in_split(run: Run, split: str) -> QuerySet[Score]:
    """The scores that count for the run's row on this split; a withdrawn clip counts no more."""
    items = ItemFacet.objects.filter(name="split", value=split, item__pack=run.pack_id).values("item_id")
    return scores_of(run).filter(**{f"{ITEM}__in": items})


def scores_of(run: Run) -> QuerySet[Score]:
    """The same on every item that the run was asked."""
    withdrawn = ItemMedia.objects.filter(item__pack=run.pack_id, clip__withdrawn_at__isnull=False).values("item_id")
    return Score.objects.of_run(run).filter(dimension="accuracy").exclude(**{f"{ITEM}__in": withdrawn})


def with_examples(scores: QuerySet[Score]) -> QuerySet[Score]:
    """The same with `example`: the answer of the item that was shown before the question, None where unknown."""
    shown = Item.objects.filter(public_id=OuterRef("example_id")).order_by().values("expected")
    first_turn = KeyTransform("0", "reading__response__turns")
    known = scores.annotate(example_id=KeyTextTransform("item", first_turn))
    return known.annotate(example=Subquery(shown[:1]))


def by_facet(scores: QuerySet[Score], names: Iterable[str]) -> Groups:
    """Tallies of each facet value; an item counts in each of its values."""
    name, value = f"{ITEM}__facets__name", f"{ITEM}__facets__value"
    rows = _per_clip(scores.filter(**{f"{name}__in": list(names)}), name, value)
    groups: Groups = defaultdict(list)
    for row in rows:
        groups[row.pop(name), row.pop(value)].append(_tally(row))
    return groups


def overall(scores: QuerySet[Score]) -> list[ClipTally]:
    """Tallies over items, whatever their facets."""
    return [_tally(row) for row in _per_clip(scores)]


def _per_clip(scores: QuerySet[Score], *groups: str) -> Iterable[dict]:
    """An item about several clips is one observation: it goes with the first of them."""
    scores = scores.filter(Q(**{f"{ITEM}__media__isnull": True}) | Q(**{f"{ITEM}__media__position": 0}))
    clip = Coalesce(F(f"{ITEM}__media__clip_id"), F(ITEM) * -1, output_field=BigIntegerField())
    sums = SUMS | (REPEATS if "example" in scores.query.annotations else {})
    return scores.order_by().values(*groups, clip=clip).annotate(**sums)


def _tally(row: dict) -> ClipTally:
    row.pop("clip")
    return ClipTally(**row)


def splits_answered(run: Run) -> list[str]:
    """The run's own split, then every other one whose items, of the kinds that it was asked, it answered all."""
    cells = Cell.objects.filter(run=run)
    kinds = cells.order_by().values_list("item__kind", flat=True).distinct()
    wanted = _items_by_split(Item.objects.filter(pack=run.pack_id, kind__in=list(kinds)).askable())
    given = _items_by_split(Item.objects.filter(pk__in=cells.filter(response__isnull=False).values("item_id")))
    others = [split for split, count in wanted.items() if split != run.split and given.get(split) == count]
    return [run.split, *sorted(others)]


def _items_by_split(items: QuerySet[Item]) -> dict[str, int]:
    rows = ItemFacet.objects.filter(name="split", item__in=items.order_by().values("pk")).order_by()
    return dict(rows.values_list("value").annotate(Count("item", distinct=True)))


def chances(pack: Pack, kinds: Iterable[str]) -> dict[tuple[str, str], float]:
    """What guessing gets on each facet value: the mean of 1 / options over the items of these kinds."""
    counts: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    rows = ItemFacet.objects.filter(item__pack=pack, item__kind__in=list(kinds)).order_by()
    for name, value, options, n in rows.values_list("name", "value", "item__options").annotate(Count("pk")):
        if options:
            counts[name, value].append((len(options), n))
    return {key: sum(n / size for size, n in found) / sum(n for _, n in found) for key, found in counts.items()}
