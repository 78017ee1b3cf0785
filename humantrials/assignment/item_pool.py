"""A trial's items in the form that its design needs."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count, Q

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import SCORER, STAFF, Fact, Reader, open_answers, open_to, with_expected
from benchmarks.models import Item, ItemFacet, ItemMedia, Pack
from benchmarks.models.id_list import IdList
from benchmarks.models.items import ItemQuerySet
from benchmarks.models.packs import PackQuerySet
from benchmarks.packs.twins import are_matched, twins_among, twins_of_a_draw_among
from humantrials.errors import BadSetting, EmptyPool
from humantrials.models import Trial
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.protocol import PracticeSource, Protocol


def pool_items(protocol: Protocol, items: Iterable[Item]) -> list[PoolItem]:
    """Items with group, half, clips and pair, ordered by their draw key."""
    items = list(items)
    found = {item.pk: item.draw_key for item in items}
    groups, clips = groups_of(protocol, found), _clips(found)
    if protocol.player.has_twin:
        clips = _with_twins(items, clips)
    sides, pairs = _sides(protocol, found), pairs_among(items)
    pool = [
        PoolItem(name, groups.get(pk, ""), sides.get(pk, ""), tuple(clips[pk]), pairs.get(pk, ""))
        for pk, name in found.items()
    ]
    return sorted(pool, key=lambda pool_item: pool_item.item)


def paired_items(protocol: Protocol, pack: Pack, items: Iterable[Item]) -> list[Item]:
    """Those of the items whose twin is among them; all, if the protocol shows no twins. EmptyPool if none is left."""
    every = list(items)
    if not protocol.player.has_twin:
        return every
    if not are_matched(pack):
        raise EmptyPool(
            f"{protocol.name} shows twins, and those of {pack} are not matched: only packs made here have such"
        )
    twins = twins_among(pack, every)
    return [item for item in every if item.pk in twins]


def pairs_among(items: Iterable[Item]) -> dict[int, str]:
    """The pair of each item whose twin of the same draw is among them, too: the first of the two draw keys.

    Twins of one kind have different answers.
    """
    by_pack: dict[Pack, list[Item]] = defaultdict(list)
    for item in items:
        by_pack[item.pack].append(item)
    twins = {pk: twin for pack, own in by_pack.items() for pk, twin in twins_of_a_draw_among(pack, own).items()}
    known = {item.pk: item for own in by_pack.values() for item in own}
    return {pk: min(known[pk].draw_key, twin.draw_key) for pk, twin in twins.items() if known[pk].kind == twin.kind}


def _with_twins(items: Iterable[Item], clips: dict[int, list[str]]) -> dict[int, list[str]]:
    """The clips of each item, and after them those of its twin."""
    every = list(items)
    twins = twins_among(every[0].pack, every) if every else {}
    return defaultdict(list, {pk: [*own, *clips[twins[pk].pk]] for pk, own in clips.items() if pk in twins})


def items_of(trial: Trial) -> list[Item]:
    """All items that the trial asks about."""
    return list(trial.pack.items.filter(pk__in=trial.slots.values("item_id")))


def eligible_items(source: PracticeSource, pack: Pack):
    """The items of the pack that match this source and can be shown."""
    items = pack.items.filter(kind=source.kind).askable()
    if source.has_media:
        items = items.filter(media__isnull=False)
    for name, value in source.facets:
        items = items.with_facet(name, value)
    return with_expected(items, to=SCORER).filter(expected=source.expected) if source.expected else items


def named_items(protocol: Protocol, beside: Pack, named: str, at: datetime | None) -> list[Item]:
    """The items of `PACK` or `PACK:ITEM,ITEM` that pages can show, or could at that time, and whose answers are known.

    The pack is of one of the protocol's benchmarks, first of that of `beside`. Items that a study hides are among them.
    """
    pack, wanted = _named(protocol, beside, named)
    known = _known(protocol, pack, at) if pack else {}
    return [known[one] for one in wanted or known if one in known]


def check_named(protocol: Protocol, beside: Pack, named: str, *, to: Reader) -> None:
    """Raises BadSetting, which says what is wrong with the pack, or with the first item that is named beside it.

    Items whose answers this reader may not know are as unknown as made-up ones.
    """
    pack, wanted = _named(protocol, beside, named)
    if pack is None:
        packs = packs_of(protocol).order_by("name").values_list("name", flat=True)
        raise BadSetting(f"there is no such pack for this protocol; there is: {', '.join(packs)}", "attention")
    if not _displayable(protocol, pack).exists():
        raise BadSetting(f"{pack} has no {protocol.pool.kind} items that this study's pages can show", "attention")
    known = _known(protocol, pack)
    open_items = pack.items.filter(open_to(to, Fact.ANSWER))
    public = set(open_items.values_list("public_id", flat=True)) & known.keys()
    if not public:
        raise BadSetting(f"{pack}: the answers to its items are not known here", "attention")
    for name in wanted:
        if name not in public:
            raise no_such_item(pack, name)
    if not wanted and len(public) < len(known):
        raise BadSetting(f"some items of {pack} are not shown now: name others, as {pack.name}:ITEM,ITEM", "attention")


def no_such_item(pack: Pack, name: str) -> BadSetting:
    """One sentence for items that don't exist and for those that are hidden, so that it tells of no seal."""
    return BadSetting(f"{pack} has no item {name} with a known answer that the pages can show", "attention")


def _named(protocol: Protocol, beside: Pack, named: str) -> tuple[Pack | None, list[str]]:
    """The pack, and the public ids beside its name; none means all of its items."""
    name, _, ids = named.partition(":")
    packs = sorted(packs_of(protocol).filter(name=name), key=lambda pack: pack.benchmark != beside.benchmark)
    return next(iter(packs), None), list(dict.fromkeys(ids.split(","))) if ids else []


def packs_of(protocol: Protocol) -> PackQuerySet:
    """The packs that a study may ask about."""
    return Pack.objects.filter(benchmark__in=(protocol.pool.benchmark, *protocol.pool.also_of))


def _displayable(protocol: Protocol, pack: Pack, at: datetime | None = None) -> ItemQuerySet:
    return displayable_items(protocol, pack.items.filter(kind=protocol.pool.kind).askable(at))


def _known(protocol: Protocol, pack: Pack, at: datetime | None = None) -> dict[str, Item]:
    """Public id -> item, for items whose right answer is known, is not withheld, and is one of the page's answers."""
    items = list(_displayable(protocol, pack, at))
    known = {pk: answer.expected for pk, answer in open_answers(items, to=STAFF).items()}
    return {item.public_id: item for item in items if protocol.player.accepts(known[item.pk] or "", item)}


def displayable_items(protocol: Protocol, items: ItemQuerySet) -> ItemQuerySet:
    """The items with as many clips as the protocol's pages show, or with pictures if they show these."""
    wanted = Q(shown__gt=0) if protocol.player.has_pictures else Q(shown=protocol.player.own_clips)
    return items.annotate(shown=Count("media", distinct=True)).filter(wanted)


def groups_of(protocol: Protocol, items: Iterable[int]) -> dict[int, str]:
    """The group of each item; within a family of tests it is the test, which has the longer name."""
    return {pk: max(values, key=len) for pk, values in _values(protocol.design.group, items).items()}


def _sides(protocol: Protocol, items: Iterable[int]) -> dict[int, str]:
    """The half of each item. An item with a withheld answer has none if halves tell it: balanced sheets would, too."""
    facet = protocol.design.balance
    found = {pk: values[0] for pk, values in _values(facet, items).items()}
    if facet in find_benchmark(protocol.pool.benchmark).telling:
        known = Item.objects.filter(open_to(STAFF, Fact.ANSWER), pk__in=IdList(found)).values_list("pk", flat=True)
        return {pk: found[pk] for pk in known}
    return found


def _values(facet: str, items: Iterable[int]) -> dict[int, list[str]]:
    values = ItemFacet.objects.filter(name=facet, item__in=IdList(items)).order_by("value")
    return _by_item(values.values_list("item_id", "value"))


def _clips(items: Iterable[int]) -> dict[int, list[str]]:
    uses = ItemMedia.objects.filter(item__in=IdList(items)).order_by("position")
    return _by_item(uses.values_list("item_id", "clip__key"))


def _by_item(rows: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for pk, value in rows:
        found[pk].append(value)
    return found
