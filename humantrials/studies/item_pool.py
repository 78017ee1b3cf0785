"""A trial's items in the form that its design needs."""

from collections import defaultdict
from collections.abc import Iterable

from benchmarks.models import Item, ItemFacet, ItemMedia, Pack
from humantrials.models import Trial
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.protocol import PracticeSource, Protocol


def pool_items(protocol: Protocol, items: Iterable[Item]) -> list[PoolItem]:
    """Items with group, half and clips, ordered by their draw key."""
    found = {item.pk: item.draw_key for item in items}
    groups, clips = groups_of(protocol, found), _clips(found)
    halves = {pk: values[0] for pk, values in _values(protocol.design.balance, found).items()}
    pool = [PoolItem(name, groups.get(pk, ""), halves.get(pk, ""), tuple(clips[pk])) for pk, name in found.items()]
    return sorted(pool, key=lambda one: one.item)


def items_of(trial: Trial) -> list[Item]:
    """All items that the trial asks about."""
    return list(trial.pack.items.filter(pk__in=trial.slots.values("item_id")))


def drawn_from(source: PracticeSource, pack: Pack):
    """The items of the pack that match this source."""
    items = pack.items.filter(kind=source.kind, media__isnull=False).askable()
    for name, value in source.facets:
        items = items.with_facet(name, value)
    return items.filter(expected=source.expected) if source.expected else items


def groups_of(protocol: Protocol, items: Iterable[int]) -> dict[int, str]:
    """The group of each item; within a family of tests it is the test, which has the longer name."""
    return {pk: max(values, key=len) for pk, values in _values(protocol.design.group, items).items()}


def _values(facet: str, items: Iterable[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    wanted = ItemFacet.objects.filter(name=facet, item_id__in=list(items)).order_by("value")
    for pk, value in wanted.values_list("item_id", "value"):
        found[pk].append(value)
    return found


def _clips(items: Iterable[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    uses = ItemMedia.objects.filter(item_id__in=list(items)).order_by("position")
    for pk, key in uses.values_list("item_id", "clip__key"):
        found[pk].append(key)
    return found
