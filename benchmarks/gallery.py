"""What the benchmark pages show of packs and items: counts, clips to look at, filters and their choices."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.core.cache import cache
from django.db.models import Count, QuerySet

from benchmarks.answers import WITHHELD
from benchmarks.definition import Benchmark, Facet, FacetValue, Level, StrategyName
from benchmarks.media import policy_of
from benchmarks.models import RATING, Clip, Item, ItemFacet, ItemQuerySet, ItemSeal, Origin, Pack, Production
from benchmarks.spreads import panels_of_pairs

STRIP = 8  # clips in the strip of a benchmark
PER_PAGE = 24
TELLING = ("polarity", "caution")  # what would tell an answer, or is told elsewhere
MOST_CHOICES = 60  # of a filter: longer lists are not chosen from
MOST_BARS = 12


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
    clip: Clip | None  # None where everybody may not see it, too

    @property
    def pictures(self) -> list[Clip]:
        """The still pictures of a question about pictures in a row, where everybody may see them."""
        return self.item.pictures if self.clip else []


@dataclass(frozen=True)
class TestRow:
    """A test and how many questions of a pack it has: the one that the page is about, or else another that has some."""

    test: FacetValue
    items: int
    pack: Pack | None = None


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


@dataclass(frozen=True)
class Bar:
    """How many questions of a pack have this value; `share` is of the most frequent one, 0 to 1."""

    title: str
    count: int
    share: float

    @property
    def width(self) -> str:
        """Of a bar 100 wide."""
        return f"{100 * self.share:.1f}"


@dataclass(frozen=True)
class Distribution:
    """One property of the questions and how often each value occurs; `others` is how many values are left out."""

    title: str
    bars: tuple[Bar, ...]
    others: int = 0


def facet_filters(benchmark: Benchmark) -> list[Facet]:
    """What the gallery can be narrowed by."""
    return [facet for facet in benchmark.facets if facet.name not in TELLING and 1 < len(facet.values) <= MOST_CHOICES]


def distributions(benchmark: Benchmark, pack: Pack | None) -> list[Distribution]:
    """How the questions of a pack spread over each facet but level and test, which have tables of their own."""
    shown = {facet.name: facet for facet in benchmark.facets if facet.name not in ("level", "test", "caution")}
    rows = ItemFacet.objects.filter(item__pack=pack, name__in=shown).order_by().values_list("name", "value")
    found: dict[str, list[tuple[int, str]]] = {}
    for name, value, count in rows.annotate(count=Count("pk")):
        found.setdefault(name, []).append((count, value))
    facets = [_distribution(facet, found[name]) for name, facet in shown.items() if len(found.get(name, ())) > 1]
    return [*facets, *_of_pairs(pack)] if pack and benchmark.has_sound else facets


def _of_pairs(pack: Pack) -> list[Distribution]:
    """The rest of PACS' Figure 2, kept: it takes every question of the pack, which never changes."""
    panels = cache.get_or_set(f"pairs:{pack.pk}:{pack.manifest_hash}", lambda: panels_of_pairs(pack), None)
    return [
        Distribution(panel.title, tuple(Bar(what, count, count / most) for what, count in panel.bars))
        for panel in panels or ()
        if (most := max((count for _, count in panel.bars), default=0))
    ]


def _distribution(facet: Facet, counts: list[tuple[int, str]]) -> Distribution:
    titles = {value.value: titled(value) for value in facet.values}
    most_first = sorted(counts, key=lambda pair: (-pair[0], pair[1]))
    most = most_first[0][0]
    bars = (Bar(titles.get(value, value), count, count / most) for count, value in most_first[:MOST_BARS])
    return Distribution(facet.title, tuple(bars), max(0, len(most_first) - MOST_BARS))


def lengths(pack: Pack | None) -> tuple[float, float, float] | None:
    """Seconds of the shortest, the middle and the longest clip of a pack; None without clips."""
    seconds = list(
        Clip.objects.filter(pack=pack, problem="", seconds__gt=0).order_by("seconds").values_list("seconds", flat=True)
    )
    return (seconds[0], median(seconds), seconds[-1]) if seconds else None


def pack_cards(benchmark: Benchmark) -> list[PackCard]:
    """Official packs first, or what was made here where nothing was released, ratings last; then by age."""
    first = Origin.OFFICIAL if benchmark.is_released else Origin.GENERATED
    packs = sorted(
        Pack.objects.with_questions().filter(benchmark=benchmark.slug),
        key=lambda one: (one.profile == RATING, one.origin != first),
    )
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


def level_parts(benchmark: Benchmark, packs: Iterable[PackCard], pack: Pack | None) -> list[LevelPart]:
    """Each level with its tests, counted in this pack, or in the first of the others that has any."""
    others = [card.pack for card in packs if card.pack != pack and card.pack.profile != RATING]
    in_order = [pack, *others] if pack else []
    rows = ItemFacet.objects.filter(item__pack__in=in_order, name="test").order_by().values_list("item__pack", "value")
    counts = {(pk, value): count for pk, value, count in rows.annotate(count=Count("pk"))}

    def row_of(test: FacetValue) -> TestRow:
        found = next((one for one in in_order if (one.pk, test.value) in counts), None)
        return TestRow(test, counts[found.pk, test.value], found) if found else TestRow(test, 0)

    return [
        LevelPart(
            level,
            tuple(row_of(test) for test in benchmark.facet("test").values if test.level == level.number),
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
    if pack is None or policy_of(pack) != "public":
        return []
    shown = visible_items(pack).filter(media__isnull=False)
    # A clip that an open study shows as well is served to nobody else: its card would stay black.
    items = shown.exclude(media__clip__uses__item__seals__isnull=False)[: STRIP * 6]
    first_of_test = {(*item.facet_values("test"),): item for item in reversed(items)}
    clips = {item.clip: item for item in (*items, *first_of_test.values())}
    chosen = sorted(clips.values(), key=lambda item: item not in first_of_test.values())
    return cards(benchmark, chosen[:STRIP])


def cards(benchmark: Benchmark, items: list[Item]) -> list[ItemCard]:
    kinds = {kind.value: kind.title for kind in benchmark.kinds}
    tests = {value.value: titled(value) for value in benchmark.facet("test").values}
    return [
        ItemCard(
            item, kinds.get(item.kind, item.kind), tests.get(_own_test(item), ""),
            item.clip if policy_of(item.pack) == "public" else None,
        )
        for item in items
    ]  # fmt: skip


def _own_test(item: Item) -> str:
    """The narrowest of its tests: an ordering item is of its own scene and of all orderings."""
    return max(item.facet_values("test"), key=len, default="")


def titled(value: FacetValue) -> str:
    return f"{value.number} {value.title}" if value.number else value.title


def filters_of(benchmark: Benchmark, packs: list[PackCard], chosen: Mapping[str, str]) -> list[Filter]:
    """Every filter of the items page with its choices."""
    values = [("pack", "Pack", [(card.pack.name, card.pack.title) for card in packs])]
    for facet in facet_filters(benchmark):
        name = facet.name
        values.append((name, facet.title, [("", "All"), *((value.value, titled(value)) for value in facet.values)]))
    values.append(("kind", "Asked", [("", "All"), *((kind.value, kind.title) for kind in benchmark.kinds)]))
    return [
        Filter(name, title, tuple(Choice(value, shown, value == chosen.get(name, "")) for value, shown in choices))
        for name, title, choices in values
    ]


def unknown_choice(filters: list[Filter], chosen: Mapping[str, str]) -> str:
    """What is wrong with the first choice that no filter offers, and what there is; '' where all are known."""
    for one in filters:
        value, known = chosen.get(one.name, ""), [choice.value for choice in one.choices if choice.value]
        if value and value not in known:
            return f"no {one.name} {value[:40]!r}; there is: {', '.join(known)}"
    return ""


def narrowed(items: ItemQuerySet, benchmark: Benchmark, chosen: Mapping[str, str]) -> ItemQuerySet:
    """The items that every chosen filter lets through."""
    for facet in facet_filters(benchmark):
        if chosen.get(facet.name):
            items = items.with_facet(facet.name, chosen[facet.name])
    return items.filter(kind=chosen["kind"]) if chosen.get("kind") else items


def open_productions(benchmark: Benchmark) -> list[Production]:
    """Packs in the making, with those that failed last."""
    rows = Production.objects.filter(benchmark=benchmark.slug).order_by("-started_at")[:5]
    return [production for production in rows if production.is_open or production.state == "failed"]
