"""Data for the benchmark pages: counts, example clips, filters and their choices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.core.cache import cache
from django.db.models import Count, QuerySet, Sum

from benchmarks.definitions.definition import Benchmark, Facet, FacetValue, Level, StrategyName
from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.disclosure.doors import closed_among, policy_of, public_files
from benchmarks.gallery.distributions import DistributionPanel, panel_of_facet, panels_of_pairs
from benchmarks.gallery.query import no_choice
from benchmarks.models import RATING, Clip, Item, ItemFacet, ItemQuerySet, Origin, Pack, Production, RenditionKind

STRIP = 8  # clips in the strip of a benchmark
PER_PAGE = 24
CAUTION = "caution"
TABLED = ("level", "test", CAUTION)  # facets shown in tables or texts of their own
MOST_CHOICES = 60  # per filter; a facet with more values gets no filter


@dataclass(frozen=True)
class PackCard:
    """A pack with its numbers of clips and items."""

    pack: Pack
    clips: int
    items: int
    without_clips: int = 0

    @property
    def bytes(self) -> int:
        """The total size of the public clips."""
        return public_files(self.pack).aggregate(size=Sum("size"))["size"] or 0


@dataclass(frozen=True)
class ItemCard:
    """An item in the gallery."""

    item: Item
    kind: str
    test: str
    clip: Clip | None  # also None if the clip is not public
    closed: str = ""  # why the clip of a public item is not public: "study" or "answer"

    @property
    def pictures(self) -> list[Clip]:
        """The still pictures of a question about an image sequence, if they are public."""
        return self.item.pictures if self.clip else []

    @property
    def poster(self) -> str:
        """The address of the clip's picture; "" if it is not public."""
        clip = self.clip
        found = clip.rendition(RenditionKind.POSTER) or clip.rendition(RenditionKind.PICTURE) if clip else None
        return found.get_absolute_url() if found else ""


@dataclass(frozen=True)
class TestCount:
    """A test and its number of questions in the page's pack, or in another pack if this one lacks the test."""

    test: FacetValue
    items: int
    pack: Pack | None = None


@dataclass(frozen=True)
class LevelPart:
    """A level with its tests and its prompting strategies."""

    level: Level
    tests: tuple[TestCount, ...]
    strategies: tuple[StrategyName, ...]


@dataclass(frozen=True)
class FilterOption:
    """One value that a filter offers."""

    value: str
    title: str
    is_chosen: bool


@dataclass(frozen=True)
class Filter:
    """One filter of the item list."""

    name: str
    title: str
    choices: tuple[FilterOption, ...]


def facet_filters(benchmark: Benchmark) -> list[Facet]:
    """The facets offered as filters in the gallery."""
    filterable = (facet for facet in benchmark.facets if not facet.tells and facet.name != CAUTION)
    return [facet for facet in filterable if 1 < len(facet.values) <= MOST_CHOICES]


def distributions(benchmark: Benchmark, pack: Pack | None, *, has_hidden: bool) -> list[DistributionPanel]:
    """The distribution of a pack's questions over each facet except level and test, which have their own tables.

    A facet that reveals answers is counted only if every answer of the pack is public; where raters answer, it tells
    who made a clip.
    """
    untold = {*TABLED} | (benchmark.telling if has_hidden or not benchmark.has_boards else set())
    visible = {facet.name: facet for facet in benchmark.facets if facet.name not in untold}
    items = Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE), pack=pack)
    rows = ItemFacet.objects.filter(item__in=items, name__in=visible).order_by().values_list("name", "value")
    found: dict[str, dict[str, int]] = {}
    for name, value, count in rows.annotate(count=Count("pk")):
        found.setdefault(name, {})[value] = count
    facets = [panel_of_facet(facet, found[name]) for name, facet in visible.items() if len(found.get(name, ())) > 1]
    return [*facets, *_of_pairs(pack)] if pack and benchmark.has_sound else facets


def _of_pairs(pack: Pack) -> list[DistributionPanel]:
    """The other panels of PACS' Figure 2, cached forever: they read every question, and a pack never changes."""
    panels = cache.get_or_set(f"pairs:{pack.pk}:{pack.manifest_hash}", lambda: panels_of_pairs(pack), None)
    return [panel for panel in panels or () if panel.bars]


def lengths(pack: Pack | None) -> tuple[float, float, float] | None:
    """Minimum, median and maximum clip length of a pack in seconds; None without clips."""
    seconds = list(
        Clip.objects.filter(pack=pack, problem="", seconds__gt=0).order_by("seconds").values_list("seconds", flat=True)
    )
    return (seconds[0], median(seconds), seconds[-1]) if seconds else None


def pack_cards(benchmark: Benchmark) -> list[PackCard]:
    """Packs by age, official ones first (generated ones if nothing was released) and rating packs last."""
    first = Origin.OFFICIAL if benchmark.is_released else Origin.GENERATED
    packs = sorted(
        Pack.objects.with_questions().filter(benchmark=benchmark.slug),
        key=lambda question: (question.profile == RATING, question.origin != first),
    )
    if not packs:
        return []
    clips = _counted(Clip.objects.filter(pack__benchmark=benchmark.slug))
    items = _counted(Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE), pack__benchmark=benchmark.slug))
    bare = _counted(Item.objects.filter(pack__in=packs).without_needed_clips(benchmark.kinds_with_clips))
    return [PackCard(pack, clips.get(pack.pk, 0), items.get(pack.pk, 0), bare.get(pack.pk, 0)) for pack in packs]


def _counted(rows: QuerySet[Any]) -> dict[int, int]:
    """Pack id -> number of rows."""
    return dict(rows.order_by().values_list("pack_id").annotate(count=Count("pk")))


def chosen_pack(cards: list[PackCard], name: str) -> Pack | None:
    """The pack of this name, or the first if `name` is empty; None if there is no such pack."""
    return next((card.pack for card in cards if name in ("", card.pack.name)), None)


def level_parts(benchmark: Benchmark, packs: Iterable[PackCard], pack: Pack | None) -> list[LevelPart]:
    """Each level with its tests, counted in this pack, or in the first other pack that has the test."""
    others = [card.pack for card in packs if card.pack != pack and card.pack.profile != RATING]
    in_order = [pack, *others] if pack else []
    items = Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE), pack__in=in_order)
    tests = benchmark.facet("test").values
    every = _counts_of_tests(items)
    shared = any(not test.level for test in tests)  # a test of several levels is counted on each
    parts = []
    for level in benchmark.levels:
        at = _counts_of_tests(items.filter(facets__name="level", facets__value=level.number)) if shared else {}
        rows = [
            _test_count(test, every if test.level else at, in_order)
            for test in tests
            if test.level in ("", level.number)
        ]
        displayed = tuple(row for row in rows if row.items or row.test.level)
        parts.append(LevelPart(level, displayed, tuple(benchmark.strategy(name) for name in level.strategies)))
    return parts


def _counts_of_tests(items: ItemQuerySet) -> dict[tuple[int, str], int]:
    """Questions by pack and test."""
    rows = ItemFacet.objects.filter(item__in=items, name="test").order_by().values_list("item__pack", "value")
    return {(pk, value): count for pk, value, count in rows.annotate(count=Count("pk"))}


def _test_count(test: FacetValue, counts: Mapping[tuple[int, str], int], in_order: Sequence[Pack]) -> TestCount:
    found = next((one for one in in_order if (one.pk, test.value) in counts), None)
    return TestCount(test, counts[found.pk, test.value], found) if found else TestCount(test, 0)


def visible_items(pack: Pack | None) -> ItemQuerySet:
    """A pack's items for public pages and downloads, without answers, with all prefetches for a card."""
    items = Item.objects.filter(pack=pack).askable().filter(open_to(PUBLIC, Fact.EXISTENCE)).order_by("public_id")
    return (
        items.annotate(hides=~open_to(PUBLIC, Fact.ANSWER))
        .select_related("pack")
        .prefetch_related("facets", "media__clip__renditions")
    )


def public_examples(pack: Pack | None) -> ItemQuerySet:
    """Items with a public clip and a public answer; none if the pack's clips are not public."""
    if pack is None or policy_of(pack) != "public":
        return Item.objects.none()
    examples = visible_items(pack).filter(open_to(PUBLIC, Fact.ANSWER), media__isnull=False)
    # A clip that an open study uses, too, is not public: its card would stay black.
    hidden = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER))
    return examples.exclude(media__clip__uses__item__in=hidden)


def strip_of(benchmark: Benchmark, pack: Pack | None) -> list[ItemCard]:
    """A few example clips from as many tests as possible."""
    items = public_examples(pack)[: STRIP * 6]
    first_of_test = {(*item.facet_values("test"),): item for item in reversed(items)}
    clips = {item.clip: item for item in (*items, *first_of_test.values())}
    chosen = sorted(clips.values(), key=lambda item: item not in first_of_test.values())
    return cards(benchmark, chosen[:STRIP])


def examples_of(
    benchmark: Benchmark, pack: Pack | None, strategy: StrategyName, facet: str, values: Sequence[str], *, most: int
) -> dict[str, list[ItemCard]]:
    """Value of a facet -> up to `most` public examples with different clips, those with different answers first.

    They are for the questions of this strategy. With the facet "", the value is "" and every item counts.
    """
    items = public_examples(pack).for_strategy(benchmark, strategy).order_by("public_id", "media__position")
    within = {value: items.with_facet(facet, value) if facet else items for value in values}
    chosen = {value: _different(found, most) for value, found in within.items()}
    ids = [pk for found in chosen.values() for pk in found]
    known = {card.item.pk: card for card in cards(benchmark, list(visible_items(pack).filter(pk__in=ids)))}
    return {value: [known[pk] for pk in found] for value, found in chosen.items()}


def _different(items: ItemQuerySet, most: int) -> list[int]:
    """Ids of up to `most` of the first items with different clips, those with different answers first."""
    rows = list(with_expected(items, to=PUBLIC).values_list("media__clip", "pk", "expected")[: most * 8])
    first_clip = {pk: (clip, expected) for clip, pk, expected in reversed(rows)}
    clips = {clip: (pk, expected) for pk, (clip, expected) in reversed(first_clip.items())}
    first_of_answer = {expected: pk for pk, expected in reversed(clips.values())}
    chosen = sorted((pk for pk, _ in clips.values()), key=lambda pk: pk not in first_of_answer.values())
    return chosen[:most]


def cards(benchmark: Benchmark, items: list[Any]) -> list[ItemCard]:
    """Gallery cards for items from `visible_items`; a clip closed by another item is named, not shown."""
    kinds = {kind.value: kind.title for kind in benchmark.kinds}
    tests = {value.value: value.full_title for value in benchmark.facet("test").values}
    public = [item for item in items if item.clip and policy_of(item.pack) == "public" and not item.hides]
    closed = closed_among([use.clip for item in public for use in item.media.all()]) if public else {}
    closed_by = {item.pk: _closed_by(item, closed) for item in public}
    return [
        ItemCard(
            item,
            kinds.get(item.kind, item.kind),
            tests.get(item.own_test, ""),
            item.clip if closed_by.get(item.pk) == "" else None,
            closed_by.get(item.pk, ""),
        )
        for item in items
    ]


def _closed_by(item: Item, closed: Mapping[int, bool]) -> str:
    found = [closed[use.clip_id] for use in item.media.all() if use.clip_id in closed]
    return "" if not found else "study" if any(found) else "answer"


def title_of(benchmark: Benchmark, item: Item) -> str:
    """The title of the item's own test without its number, if there are several; else of its kind of question."""
    own, known = item.own_test, benchmark.facet("test").values
    kind = next((kind.title for kind in benchmark.kinds if kind.value == item.kind), item.kind)
    return next((value.title for value in known if value.value == own and len(known) > 1), kind)


def filters_of(benchmark: Benchmark, packs: list[PackCard], chosen: Mapping[str, str]) -> list[Filter]:
    """All filters of the items page with their choices."""
    values = [("pack", "Pack", [(card.pack.name, card.pack.title) for card in packs])]
    for facet in facet_filters(benchmark):
        name = facet.name
        choices = [(value.value, value.full_title) for value in facet.values]
        values.append((name, facet.title, [("", "All"), *choices]))
    kinds = [(kind.value, kind.title) for kind in benchmark.kinds]
    values.append(("kind", "Question type", [("", "All"), *kinds]))
    return [
        Filter(
            name, title, tuple(FilterOption(value, label, value == chosen.get(name, "")) for value, label in choices)
        )
        for name, title, choices in values
    ]


def unknown_choice(filters: list[Filter], chosen: Mapping[str, str]) -> str:
    """An error message for the first unknown filter value, with the known ones; '' if all are known."""
    for one in filters:
        value, known = chosen.get(one.name, ""), [choice.value for choice in one.choices if choice.value]
        if value and value not in known:
            return no_choice(one.name, value, known)
    return ""


def narrowed(items: ItemQuerySet, benchmark: Benchmark, chosen: Mapping[str, str]) -> ItemQuerySet:
    """The items that match every chosen filter."""
    for facet in facet_filters(benchmark):
        if chosen.get(facet.name):
            items = items.with_facet(facet.name, chosen[facet.name])
    return items.filter(kind=chosen["kind"]) if chosen.get("kind") else items


def open_productions(benchmark: Benchmark) -> list[Production]:
    """Packs being made, and packs that recently failed."""
    rows = Production.objects.filter(benchmark=benchmark.slug).order_by("-started_at")[:5]
    return [production for production in rows if production.is_open or production.state == "failed"]
