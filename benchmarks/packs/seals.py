"""Seals and unseals items: a seal hides an item from the public while an open study uses it.

What would tell its answer is hidden with it: see `closure`.
"""

from collections.abc import Iterable

from django.dispatch import Signal

from benchmarks.models import WITHHELD, Item, ItemSeal
from benchmarks.models.id_list import IdList
from benchmarks.packs.closure import closure

BATCH = 500

# Receivers compute scores again. Sent with `packs`, the ids of the packs, in the same transaction.
seals_changed = Signal()


def seal(items: Iterable[int], *, by: str) -> None:
    """Hide these items and what tells their answers from every list until `unseal`; safe to repeat."""
    every = closure(items)
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in every), BATCH, ignore_conflicts=True)
    _tell(set(Item.objects.filter(pk__in=IdList(every)).order_by().values_list("pack_id", flat=True).distinct()))


def unseal(*, by: str) -> None:
    """Remove all seals with this name."""
    seals = ItemSeal.objects.filter(by=by)
    packs = set(seals.order_by().values_list("item__pack_id", flat=True).distinct())
    seals.delete()
    _tell(packs)


def seal_copies() -> None:
    """Seal what every study seals again: a new pack may hold copies of its clips."""
    studies = ItemSeal.objects.exclude(by=WITHHELD).order_by().values_list("by", flat=True).distinct()
    for study in studies:
        seal(ItemSeal.objects.filter(by=study).values_list("item_id", flat=True), by=study)


def _tell(packs: set[int]) -> None:
    if packs:
        seals_changed.send(ItemSeal, packs=packs)
