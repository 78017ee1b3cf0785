"""What the benchmark pages show of packs and items: counts, clips to look at, filters and their choices."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from benchmarks.answers import WITHHELD
from benchmarks.definition import Benchmark, FacetValue, Level, StrategyName
from benchmarks.models import Clip, Item, ItemFacet, ItemQuerySet, ItemSeal, Origin, Pack, Production

STRIP = 8  # clips in the strip of a benchmark
PER_PAGE = 24
FACET_FILTERS = ("level", "test", "concept")
SILENT_AFTER = timedelta(minutes=2)  # a production that says nothing for so long may have been killed


@dataclass(frozen=True)
class PackCard:
    """A pack and how much it holds."""

    pack: Pack
    clips: int
    items: int
    without_clips: int = 0


@dataclass(frozen=True)
class ItemCard:
    """An item as the gallery shows it."""

    item: Item
    kind: str
    test: str


@dataclass(frozen=True)
class TestRow:
    """A test and how many questions of a pack it has."""

    test: FacetValue
    items: int


@dataclass(frozen=True)
class LevelPart:
    """A level with its tests and the ways to ask it."""

    level: Level
    tests: tuple[TestRow, ...]
    strategies: tuple[StrategyName, ...]


@dataclass(frozen=True)
class Choice:
    """One value that a filter offers."""

    value: str
    title: str
    is_chosen: bool


@dataclass(frozen=True)
class Filter:
    """One thing that the list of items can be narrowed by."""

    name: str
    title: str
    choices: tuple[Choice, ...]


def pack_cards(benchmark: Benchmark) -> list[PackCard]:
    """Official packs first, then by age."""
    packs = sorted(Pack.objects.filter(benchmark=benchmark.slug), key=lambda pack: pack.origin != Origin.OFFICIAL)
    if not packs:
        return []
    clips = _counts(Clip, benchmark)
    items = _counts(Item, benchmark)
    bare = _counted(Item.objects.filter(pack__in=packs).without_needed_clips(benchmark.kinds_with_clips))
    return [PackCard(pack, clips.get(pack.pk, 0), items.get(pack.pk, 0), bare.get(pack.pk, 0)) for pack in packs]


def _counts(model: type[Clip] | type[Item], benchmark: Benchmark) -> dict[int, int]:
    return _counted(model._default_manager.filter(pack__benchmark=benchmark.slug))


def _counted(rows: QuerySet[Any]) -> dict[int, int]:
    """Pack -> how many."""
    return dict(rows.order_by().values_list("pack_id").annotate(count=Count("pk")))


def chosen_pack(cards: list[PackCard], name: str) -> Pack | None:
    """The pack of this name; the first when none is named; None when there is none of that name."""
    return next((card.pack for card in cards if name in ("", card.pack.name)), None)


def level_parts(benchmark: Benchmark, pack: Pack | None) -> list[LevelPart]:
    """Each level with its tests, counted in this pack."""
    rows = ItemFacet.objects.filter(item__pack=pack, name="test").order_by().values_list("value")
    counts = dict(rows.annotate(count=Count("pk")))
    return [
        LevelPart(
            level,
            tuple(
                TestRow(test, counts.get(test.value, 0))
                for test in benchmark.facet("test").values
                if test.level == level.number
            ),
            tuple(benchmark.strategy(name) for name in level.strategies),
        )
        for level in benchmark.levels
    ]


def visible_items(pack: Pack | None) -> ItemQuerySet:
    """What everybody may see of a pack, with all that a card needs."""
    items = Item.objects.filter(pack=pack).askable().unsealed().order_by("public_id")
    return items.select_related("pack").prefetch_related("facets", "media__clip__renditions")


def downloadable_items(pack: Pack | None) -> ItemQuerySet:
    """What everybody may take along, without answers: also questions whose answer is withheld, to be answered."""
    items = Item.objects.filter(pack=pack).askable().exclude(seals__in=ItemSeal.objects.exclude(by=WITHHELD))
    return items.select_related("pack").prefetch_related("facets", "media__clip__renditions")


def strip_of(benchmark: Benchmark, pack: Pack | None) -> list[ItemCard]:
    """A few clips, of as many tests as can be."""
    if pack is None:
        return []
    items = visible_items(pack).filter(media__isnull=False)[: STRIP * 6]
    first_of_test = {(*item.facet_values("test"),): item for item in reversed(items)}
    clips = {item.clip: item for item in (*items, *first_of_test.values())}
    chosen = sorted(clips.values(), key=lambda item: item not in first_of_test.values())
    return cards(benchmark, chosen[:STRIP])


def cards(benchmark: Benchmark, items: list[Item]) -> list[ItemCard]:
    kinds = {kind.value: kind.title for kind in benchmark.kinds}
    tests = {value.value: titled(value) for value in benchmark.facet("test").values}
    return [ItemCard(item, kinds.get(item.kind, item.kind), tests.get(_own_test(item), "")) for item in items]


def _own_test(item: Item) -> str:
    """The narrowest of its tests: an ordering item is of its own scene and of all orderings."""
    return max(item.facet_values("test"), key=len, default="")


def titled(value: FacetValue) -> str:
    return f"{value.number} {value.title}" if value.number else value.title


def filters_of(benchmark: Benchmark, packs: list[PackCard], chosen: Mapping[str, str]) -> list[Filter]:
    """Every filter of the items page with its choices."""
    values = [("pack", "Pack", [(card.pack.name, card.pack.title) for card in packs])]
    for facet in (facet for facet in benchmark.facets if facet.name in FACET_FILTERS):
        name = facet.name
        values.append((name, facet.title, [("", "All"), *((value.value, titled(value)) for value in facet.values)]))
    values.append(("kind", "Asked", [("", "All"), *((kind.value, kind.title) for kind in benchmark.kinds)]))
    return [
        Filter(name, title, tuple(Choice(value, shown, value == chosen.get(name, "")) for value, shown in choices))
        for name, title, choices in values
    ]


def narrowed(items: ItemQuerySet, chosen: Mapping[str, str]) -> ItemQuerySet:
    """The items that every chosen filter lets through."""
    for name in FACET_FILTERS:
        if chosen.get(name):
            items = items.with_facet(name, chosen[name])
    return items.filter(kind=chosen["kind"]) if chosen.get("kind") else items


def open_productions(benchmark: Benchmark) -> list[Production]:
    """Packs in the making, with those that failed last."""
    rows = Production.objects.filter(benchmark=benchmark.slug).order_by("-started_at")[:5]
    return [production for production in rows if production.is_open or production.state == "failed"]


def is_silent(production: Production) -> bool:
    return production.is_open and timezone.now() - production.updated_at > SILENT_AFTER
