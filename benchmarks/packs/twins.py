"""Twins: the plausible and the implausible clip of one draw, in packs where they differ only by the violation."""

from collections.abc import Iterable

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, Pack

MATCHED = "corrected"  # the profile whose twins are one draw with and without the violation


def are_matched(pack: Pack) -> bool:
    """Whether the twins of this pack come from the same draw; those of official packs do not."""
    benchmark = BENCHMARKS.get(pack.benchmark)
    return benchmark is not None and benchmark.twin_key is not None and pack.profile == MATCHED


def twins_among(pack: Pack, items: Iterable[Item]) -> dict[int, Item]:
    """The twin of each of these items by pk, if it is among them, too; {} if twins are not matched."""
    return _twins(pack, items) if are_matched(pack) else {}


def twins_of_a_draw_among(pack: Pack, items: Iterable[Item]) -> dict[int, Item]:
    """Like `twins_among`, also where twins of one draw are not matched; {} if they are of different draws."""
    return _twins(pack, items) if pack.shares_draws else {}


def _twins(pack: Pack, items: Iterable[Item]) -> dict[int, Item]:
    twin_key = BENCHMARKS[pack.benchmark].twin_key
    if twin_key is None:
        return {}
    by_key = {item.key: item for item in items}
    return {item.pk: by_key[twin] for key, item in by_key.items() if (twin := twin_key(key)) in by_key}


def twin_of(item: Item) -> Item | None:
    """The item of the same kind about the other clip of its draw."""
    twin_key = BENCHMARKS[item.pack.benchmark].twin_key if are_matched(item.pack) else None
    return item.pack.items.filter(key=twin_key(item.key), kind=item.kind).first() if twin_key else None
