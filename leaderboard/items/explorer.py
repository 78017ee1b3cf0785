"""The explorer: public items of one pack as thumbnails, narrowed by facet, by who was right and by kind of error."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.gallery import browse
from benchmarks.gallery.query import NoSuchChoice, no_choice
from benchmarks.models import Item, ItemFacet, ItemMedia, ItemQuerySet, Pack
from evaluation.models import Run
from leaderboard.items.outcomes import ERRORS, WHO, Errors, ItemResult, Outcomes, errors_of, outcomes_of, results_of

CROSSED = ("both", "people", "models", "neither")  # the table of people against models, row by row
MEDIA: dict[str, str] = {"clips": "with clips", "words": "in words alone"}
TITLES: dict[str, str] = {
    "both": "people right, models right",
    "people": "people right, models wrong",
    "models": "people wrong, models right",
    "neither": "people wrong, models wrong",
    "people-right": "people right",
    "people-wrong": "people wrong",
    "models-right": "models right",
    "models-wrong": "models wrong",
}


@dataclass(frozen=True)
class Choice:
    """One link of a filter; `count` is its number of items, None where it is not counted."""

    title: str
    query: str
    is_chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class ChoiceGroup:
    """The links of one filter."""

    title: str
    choices: tuple[Choice, ...]
    is_crossed: bool = False  # its first four are people right and wrong, each with models right and wrong

    @property
    def crossed(self) -> list[tuple[Choice, Choice]]:
        """The four counts of people against models: a row where people are right, one where they are wrong."""
        first = self.choices[: len(CROSSED)]
        return [(first[0], first[1]), (first[2], first[3])] if self.is_crossed else []

    @property
    def others(self) -> tuple[Choice, ...]:
        """The choices outside the table."""
        return self.choices[len(CROSSED) :] if self.is_crossed else self.choices


@dataclass(frozen=True)
class Explorer:
    """The explorer's filters, from its URL."""

    benchmark: Benchmark
    packs: list[browse.PackCard]
    pack: Pack
    filters: Mapping[str, str]  # the filters that are set
    models: Sequence[tuple[int, str]]  # run and name of each row on the pack's board
    outcomes: Outcomes
    errors: Errors  # of the chosen model, or of the only one; empty without

    @cached_property
    def items(self) -> list[int]:
        """Ids of the items in the list, in order."""
        return list(self._fitting().values_list("pk", flat=True))

    def _fitting(self, without: str = "") -> ItemQuerySet:
        """The public items that match every chosen filter, or every one except this."""
        filters = {name: value for name, value in self.filters.items() if name != without}
        items = browse.narrowed(_public_items(self.pack), self.benchmark, filters)
        items = items.filter(Q(has_media=filters["media"] == "clips")) if "media" in filters else items
        items = items.filter(pk__in=self.errors.get(filters["error"], ())) if "error" in filters else items
        return items.filter(pk__in=self.outcomes.items(filters["who"])) if "who" in filters else items

    @cached_property
    def _named(self) -> dict[str, ChoiceGroup]:
        """Each filter's links by its parameter."""
        counts = self._counts()
        filters = browse.filters_of(self.benchmark, self.packs, {**self.filters, "pack": self.pack.name})
        first = {"who": self._who(), "model": self._models(), "error": self._errors(), "benchmark": self._benchmarks()}
        return (
            first
            | {"media": self._media(counts)}
            | {one.name: self._packs(one) if one.name == "pack" else self._values(one, counts) for one in filters}
        )

    @property
    def groups(self) -> list[ChoiceGroup]:
        """Every filter that offers a choice."""
        return [one for one in self._named.values() if len(one.choices) > 1]

    @property
    def applied(self) -> list[Choice]:
        """The chosen values, each with the address without it."""
        chosen = [(name, one) for name in self.filters for one in self._named[name].choices if one.is_chosen]
        return [Choice(one.title, self._query(**{name: ""}), True) for name, one in chosen]

    def _query(self, **changed: str) -> str:
        """This address with other values; the page is left out."""
        query = QueryDict(mutable=True)
        parameters = {"benchmark": self.benchmark.slug, "pack": self.pack.name, **self.filters, **changed}
        query.update({name: value for name, value in parameters.items() if value})
        return f"?{query.urlencode()}"

    def _choice(self, name: str, value: str, title: str, count: int | None = None) -> Choice:
        return Choice(title, self._query(**{name: value}), value == self.filters.get(name, ""), count)

    def _fitting_or_all(self, name: str) -> set[int]:
        """The items that match every chosen filter but this."""
        return set(self._fitting(name).values_list("pk", flat=True) if name in self.filters else self.items)

    def _who(self) -> ChoiceGroup:
        """The four combinations if both people and models answered, else the choices of those who did."""
        people, models = bool(self.outcomes.majorities), bool(self.outcomes.models)
        answered = {name: (people or pair[0] is None, models or pair[1] is None) for name, pair in WHO.items()}
        groups = [name for name, pair in WHO.items() if all(answered[name]) and (None in pair) != (people and models)]
        wanted = self.filters.get("who", "")
        names = [*groups, *({wanted} - {*groups, ""})]
        found = self._fitting_or_all("who")
        links = (self._choice("who", name, TITLES[name], len(found & self.outcomes.items(name))) for name in names)
        return ChoiceGroup("Who was right", tuple(links), is_crossed=people and models)

    def _media(self, counts: Mapping[tuple[str, str], int]) -> ChoiceGroup:
        """The choice between questions with clips and text-only questions, if the pack has both."""
        found = {name: counts.get(("media", name), 0) for name in MEDIA}
        links = (self._choice("media", name, MEDIA[name], n) for name, n in found.items())
        every = (self._choice("media", "", "All"), *links)
        return ChoiceGroup("Clips", every if "media" in self.filters or all(found.values()) else ())

    def _models(self) -> ChoiceGroup:
        choices = [("", "most of them"), *((str(pk), title) for pk, title in self.models)]
        wanted = self.filters.get("model", "")
        links = (
            Choice(title, self._query(model=run, **({} if run else {"error": ""})), run == wanted)
            for run, title in choices
        )
        return ChoiceGroup("Models", tuple(links) if len(self.models) > 1 else ())

    def _errors(self) -> ChoiceGroup:
        """Kinds of error of the chosen model."""
        if not self.errors:
            return ChoiceGroup("Kind of error", ())
        found = self._fitting_or_all("error")
        counts = {kind: len(found & self.errors.get(kind, set())) for kind in ERRORS}
        links = (self._choice("error", kind, ERRORS[kind], n) for kind, n in counts.items())
        return ChoiceGroup("Kind of error", (self._choice("error", "", "All"), *links))

    @property
    def lacks_model(self) -> bool:
        """Whether a model must be chosen before a kind of error can be chosen."""
        return len(self.models) > 1 and "model" not in self.filters

    def _benchmarks(self) -> ChoiceGroup:
        links = (Choice(pack.title, f"?benchmark={pack.slug}", pack == self.benchmark) for pack in _with_packs())
        return ChoiceGroup("Benchmark", tuple(links))

    def _packs(self, packs: browse.Filter) -> ChoiceGroup:
        address = f"?benchmark={self.benchmark.slug}&pack="
        links = (Choice(choice.title, f"{address}{choice.value}", choice.is_chosen) for choice in packs.choices)
        return ChoiceGroup(packs.title, tuple(links))

    def _values(self, one: browse.Filter, counts: Mapping[tuple[str, str], int]) -> ChoiceGroup:
        links = (
            Choice(
                choice.title,
                self._query(**{one.name: choice.value}),
                choice.is_chosen,
                counts.get((one.name, choice.value), 0) if choice.value else None,
            )
            for choice in one.choices
        )
        return ChoiceGroup(one.title, tuple(links))

    def _counts(self) -> dict[tuple[str, str], int]:
        """The number of items that each facet value and kind would leave, given the other chosen filters."""
        counts = _facets_in(self._fitting()) | _kinds_in(self._fitting())
        for name in self.filters.keys() - {"who", "model", "error"}:
            others = self._fitting(name)
            of_items = {key: n for key, n in _kinds_in(others).items() if key[0] == name}
            own = of_items if name in ("kind", "media") else _facets_in(others, name=name)
            counts = {key: n for key, n in counts.items() if key[0] != name} | own
        return counts

    def cards(self, ids: Sequence[int]) -> list["Thumbnail"]:
        """Gallery cards of these items with their results, without clips that an open study uses."""
        found = {item.pk: item for item in browse.visible_items(self.pack).filter(pk__in=ids)}
        items = [found[pk] for pk in ids if pk in found]
        results = results_of(items, self.outcomes)
        return [Thumbnail(*pair) for pair in zip(browse.cards(self.benchmark, items), results, strict=True)]


@dataclass(frozen=True)
class Thumbnail:
    """An item on the page: its card, and who was right."""

    card: browse.ItemCard
    result: ItemResult

    @property
    def is_text_only(self) -> bool:
        """Whether the question has no clip at all."""
        return not self.card.item.media.all()


def _public_items(pack: Pack) -> ItemQuerySet:
    """The items whose results may be shown to everybody."""
    has_media = Exists(ItemMedia.objects.filter(item=OuterRef("pk")))
    items = Item.objects.filter(pack=pack).askable().filter(open_to(PUBLIC, Fact.ANSWER)).annotate(has_media=has_media)
    return items.order_by("-has_media", "public_id")


def _facets_in(items: ItemQuerySet, **named: str) -> dict[tuple[str, str], int]:
    """The number of items for each value of every facet, or of the named one."""
    rows = ItemFacet.objects.filter(item__in=items.order_by().values("pk"), **named).order_by()
    return {(name, value): n for name, value, n in rows.values_list("name", "value").annotate(n=Count("pk"))}


def _kinds_in(items: ItemQuerySet) -> dict[tuple[str, str], int]:
    """The number of items of each kind, with clips, and text-only."""
    found: Counter[tuple[str, str]] = Counter()
    rows: QuerySet[Any, Any] = items.order_by()
    for kind, has_media, n in rows.values_list("kind", "has_media").annotate(n=Count("pk")):
        found["kind", kind] += n
        found["media", "clips" if has_media else "words"] += n
    return found


def _with_packs() -> list[Benchmark]:
    """The benchmarks with a pack here, in the order of the registry."""
    found = set(Pack.objects.with_questions().order_by().values_list("benchmark", flat=True))
    return [benchmark for slug, benchmark in BENCHMARKS.items() if slug in found]


def models_of(benchmark: Benchmark, pack: Pack) -> list[tuple[int, str]]:
    """Run and title of each model's row on the pack's board: model, strategy, level and condition."""
    strategies = {strategy.name: strategy for strategy in benchmark.strategies}
    runs = Run.objects.on_the_board_of(pack).select_related("model").order_by("model__name", "pk")
    return [(run.pk, _title(run, strategies.get(run.strategy), len(benchmark.levels) > 1)) for run in runs]


def _title(run: Run, strategy: StrategyName | None, has_levels: bool) -> str:
    level = f"level {strategy.level}" if strategy and has_levels else ""
    condition = run.condition if run.condition != "video" else ""
    return ", ".join(filter(None, [run.model.name, strategy.title if strategy else run.strategy, level, condition]))


def explored(parameters: Mapping[str, str]) -> Explorer | None:
    """Parse a query string into an Explorer; None if there is no pack, NoSuchChoice names an unknown value."""
    benchmark = _benchmark_of(parameters.get("benchmark", ""))
    packs = browse.pack_cards(benchmark) if benchmark else []
    if benchmark is None or not packs:
        return None
    pack = browse.chosen_pack(packs, parameters.get("pack", ""))
    if pack is None:
        raise _unknown("pack", parameters["pack"], [card.pack.name for card in packs])
    models = models_of(benchmark, pack)
    filters = _requested_filters(benchmark, packs, pack, parameters)
    own = {"who": [*WHO], "media": [*MEDIA], "model": [str(run) for run, _title in models]}
    for name, known in own.items():
        if name in filters and filters[name] not in known:
            raise _unknown(name, filters[name], known)
    run = int(filters["model"]) if "model" in filters else None
    of_errors = run or (models[0][0] if len(models) == 1 else None)
    errors = errors_of(Run.objects.get(pk=of_errors)) if of_errors else {}
    if "error" in filters and filters["error"] not in (known := [*ERRORS] if errors else []):
        raise _unknown("error", filters["error"], known)
    return Explorer(benchmark, packs, pack, filters, models, outcomes_of(pack, run), errors)


def _benchmark_of(slug: str) -> Benchmark | None:
    """The benchmark of this name, by default the first with a pack; None if there is no pack at all."""
    if slug and slug not in BENCHMARKS:
        raise _unknown("benchmark", slug, BENCHMARKS)
    return BENCHMARKS.get(slug) or next(iter(_with_packs()), None)


def _requested_filters(
    benchmark: Benchmark, packs: list[browse.PackCard], pack: Pack, parameters: Mapping[str, str]
) -> dict[str, str]:
    """The filters in the query string; NoSuchChoice names the known values of an unknown facet or kind."""
    names = ("who", "model", "error", "media", *(facet.name for facet in browse.facet_filters(benchmark)), "kind")
    filters = {name: parameters[name] for name in names if parameters.get(name)}
    chosen = {**filters, "pack": pack.name}
    if unknown := browse.unknown_choice(browse.filters_of(benchmark, packs, chosen), chosen):
        raise NoSuchChoice(unknown)
    return filters


def _unknown(name: str, value: str, known: Iterable[str]) -> NoSuchChoice:
    return NoSuchChoice(no_choice(name, value, known))
