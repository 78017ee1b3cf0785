"""Seals and unseals items: a seal hides an item from the public while an open study uses it."""

from collections.abc import Iterable

from django.dispatch import Signal

from benchmarks.models import Item, ItemSeal

BATCH = 500

# Receivers compute scores again. Sent with `packs`, the ids of the packs, in the same transaction.
seals_changed = Signal()


def seal(items: Iterable[int], *, by: str) -> None:
    """Hide these items from every list until `unseal`; safe to repeat."""
    every = list(items)
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in every), BATCH, ignore_conflicts=True)
    _tell(set(Item.objects.filter(pk__in=every).order_by().values_list("pack_id", flat=True).distinct()))


def unseal(*, by: str) -> None:
    """Remove all seals with this name."""
    seals = ItemSeal.objects.filter(by=by)
    packs = set(seals.order_by().values_list("item__pack_id", flat=True).distinct())
    seals.delete()
    _tell(packs)


def _tell(packs: set[int]) -> None:
    if packs:
        seals_changed.send(ItemSeal, packs=packs)
