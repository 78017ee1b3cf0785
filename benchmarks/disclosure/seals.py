"""Hides and shows items: a seal hides an item from the public while an open study asks it.

What would tell its answer is hidden with it: see `closure`.
"""

from collections.abc import Iterable

from django.db.models import Count, Max
from django.dispatch import Signal

from benchmarks.disclosure.closure import closure
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from benchmarks.models.id_list import IdList
from benchmarks.models.items import Item, ItemQuerySet

BATCH = 500

# Receivers compute scores again. Sent with `packs`, the ids of the packs, in the same transaction.
seals_changed = Signal()


def hide(items: Iterable[int], *, by: str) -> None:
    """Hide these items and what tells their answers from every list until `show`; safe to repeat."""
    every = closure(items)
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in every), BATCH, ignore_conflicts=True)
    _tell(set(Item.objects.filter(pk__in=IdList(every)).order_by().values_list("pack_id", flat=True).distinct()))


def hide_alone(items: Iterable[int], *, by: str) -> None:
    """Hide these items and nothing beside them: no question here has an answer, or whoever divided them chose so."""
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in items), BATCH, ignore_conflicts=True)


def show(*, by: str) -> None:
    """Remove all seals with this name."""
    seals = ItemSeal.objects.filter(by=by)
    packs = set(seals.order_by().values_list("item__pack_id", flat=True).distinct())
    seals.delete()
    _tell(packs)


def hide_copies() -> None:
    """Hide what every study hides again: a new pack may hold copies of its clips."""
    studies = ItemSeal.objects.exclude(by=WITHHELD).order_by().values_list("by", flat=True).distinct()
    for study in studies:
        hide(ItemSeal.objects.filter(by=study).values_list("item_id", flat=True), by=study)


def _tell(packs: set[int]) -> None:
    if packs:
        seals_changed.send(Item, packs=packs)


def studies_hiding(items: ItemQuerySet) -> set[str]:
    """The names of the studies' seals on some of these items."""
    seals = ItemSeal.objects.filter(item__in=items.order_by()).exclude(by=WITHHELD).order_by()
    return set(seals.values_list("by", flat=True).distinct())


def version_of_seals() -> str:
    """A value that changes whenever an item is hidden or shown."""
    return "|".join(map(str, ItemSeal.objects.aggregate(Count("pk"), Max("pk")).values()))
