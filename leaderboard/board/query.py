"""Query strings of boards: parsed into a View, and written from one."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count

from benchmarks.definitions.definition import Benchmark, Level, StrategyName
from benchmarks.models import Pack
from benchmarks.words import CONDITIONS
from leaderboard.labels import CHARTS
from leaderboard.models import Standing
from leaderboard.row_kinds import RowKind

ROW_KINDS: tuple[str, ...] = tuple(kind.value for kind in RowKind)
FIGURES = ("accuracy", "halves", "yes", "sensitivity", "repeats", "guessing")
UNITS = ("question", "group")  # the scored unit, if a benchmark also scores groups of questions
FORMATS = ("json", "csv", "md", "latex", "xlsx", "bib")
LONGEST_SEARCH = 80
Place = tuple[int, str, str, str, str]  # pack, split, strategy, condition, kind of row


class BadAddress(ValueError):
    """The URL asks for something that does not exist; the message lists what does."""


@dataclass(frozen=True)
class AvailablePacks:
    """The packs of a benchmark and, for each, the views that have rows."""

    packs: tuple[Pack, ...] = ()
    counts: Mapping[Place, int] = field(default_factory=dict)  # of rows

    def find(self, name: str) -> Pack | None:
        return next((pack for pack in self.packs if pack.name == name), None)

    def has_rows(self, pack: Pack, strategies: Collection[str] = ()) -> bool:
        """Whether the pack has rows, under one of these strategies if any are named."""
        return any(pack.pk == place[0] and (not strategies or place[2] in strategies) for place in self.counts)

    def default_pack(self, strategies: Collection[str] = ()) -> Pack | None:
        """The newest pack with rows of these strategies, else with any rows, else the newest; None without packs."""
        answered = [pack for pack in self.packs if self.has_rows(pack, strategies)]
        return next(
            reversed(answered or [pack for pack in self.packs if self.has_rows(pack)] or list(self.packs)), None
        )

    def splits(self, pack: Pack | None, strategy: str) -> set[str]:
        return {place[1] for place in self.counts if pack and place[0] == pack.pk and place[2] == strategy}

    def conditions(self, pack: Pack | None, strategy: str) -> set[str]:
        return {place[3] for place in self.counts if pack and place[0] == pack.pk and place[2] == strategy}


def available_packs(slug: str) -> AvailablePacks:
    """Read the packs of a benchmark and which views of them have rows, in two queries."""
    return packs_of([slug])[slug]


def packs_of(slugs: Collection[str]) -> dict[str, AvailablePacks]:
    """The packs of each of these benchmarks and which views of them have rows, in two queries."""
    packs: dict[str, list[Pack]] = {slug: [] for slug in slugs}
    counts: dict[str, dict[Place, int]] = {slug: {} for slug in slugs}
    on_boards = Pack.objects.filter(benchmark__in=packs).on_boards()
    for pack in on_boards.select_related("blind_audit").defer("problems", "changes", "blind_audit__probes"):
        packs[pack.benchmark].append(pack)
    views = Standing.objects.filter(pack__benchmark__in=packs).order_by()
    found = views.values_list("pack__benchmark", "pack_id", "split", "strategy", "condition", "kind").annotate(
        Count("identity", distinct=True)
    )
    for slug, pack_id, split, strategy, condition, kind, n in found:
        counts[slug][pack_id, split, strategy, condition, kind] = n
    return {slug: AvailablePacks(tuple(of_slug), counts[slug]) for slug, of_slug in packs.items()}


@dataclass(frozen=True)
class View:
    """One view of one board: everything that decides what the page shows."""

    benchmark: Benchmark
    level: Level
    strategy: StrategyName
    condition: str
    pack: Pack | None
    split: str
    group: str
    columns: str = "accuracy"
    unit: str = "question"
    dimension: str = ""  # of a referee's scores, "" = the mean over dimensions
    referee: str = ""  # "" = the one with the most rows
    chart: str = ""  # the chart under the board, "" = the profile if there is one, "none" = no chart
    caution: str = "in"
    search: str = ""
    sort: str = "overall"
    page: int = 1
    rows: tuple[str, ...] = ROW_KINDS
    available: AvailablePacks = field(default=AvailablePacks(), compare=False, repr=False)  # views with rows

    @property
    def title(self) -> str:
        """The benchmark with its level, if it has several."""
        is_only = sum(bool(level.strategies) for level in self.benchmark.levels) == 1
        own = "" if is_only or self.level.title == self.benchmark.title else self.level.title
        return " · ".join(filter(None, (self.benchmark.title, own)))

    def but(self, **changes: Any) -> "View":
        """This view with these changes, back on its first page."""
        return replace(self, **({"page": 1} | changes))

    @property
    def strategies(self) -> list[StrategyName]:
        """The level's strategies; variants of others only if they have rows or are the view's own."""
        used = {place[2] for place in self.available.counts if self.pack and place[0] == self.pack.pk}
        ways = (self.benchmark.strategy(name) for name in self.level.strategies)
        return [way for way in ways if not way.is_variant or way.name in used or way == self.strategy]

    @property
    def query(self) -> str:
        return urlencode(self.state())

    def state(self) -> dict[str, str]:
        """The URL's parameters without those at their default."""
        words = {name: getattr(self, name) for name in STATE}
        words |= {
            "level": self.level.number,
            "strategy": self.strategy.name,
            "pack": self.pack.name if self.pack else "",
        }
        query = {name: value for name, value in words.items() if value != DEFAULTS.get(name, "")}
        return {name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in query.items()}


# The parameters of an address in their order, and those that have a default.
STATE = tuple(one.name for one in fields(View) if one.compare and one.name != "benchmark")
DEFAULTS: dict[str, Any] = {one.name: one.default for one in fields(View) if one.compare and one.default is not MISSING}


def view_of(benchmark: Benchmark, query: Mapping[str, str], available: AvailablePacks | None = None) -> View:
    """Parse a query string into a view; missing parameters are filled in from the packs that have rows."""
    available = available or available_packs(benchmark.slug)
    level = _level(benchmark, query)
    strategy = _strategy(benchmark, level, query)
    pack = _pack(available, query, level)
    return View(
        benchmark=benchmark,
        level=level,
        strategy=strategy,
        condition=_condition(query, benchmark, level, strategy, available.conditions(pack, strategy.name)),
        pack=pack,
        split=_split(benchmark, strategy, available.splits(pack, strategy.name), query),
        group=one_of("group", query.get("group") or level.groups[0], level.groups),
        columns=one_of("columns", query.get("columns") or View.columns, FIGURES),
        unit=one_of("unit", query.get("unit") or View.unit, units_of(benchmark)),
        dimension=one_of("dimension", query.get("dimension", ""), ("", *level.dimensions)),
        referee=query.get("referee", "").strip()[:LONGEST_SEARCH],
        chart=one_of("chart", query.get("chart", ""), ("", "none", *CHARTS)),
        caution=one_of("caution", query.get("caution") or View.caution, ("in", "out")),
        rows=_rows(query.get("rows", "")),
        search=query.get("search", "").strip()[:LONGEST_SEARCH],
        sort=query.get("sort") or View.sort,
        page=page_number(query.get("page", "1")),
        available=available,
    )


def units_of(benchmark: Benchmark) -> tuple[str, ...]:
    """The units that its boards can score: questions, and groups of questions if it has any."""
    return UNITS if benchmark.groups else UNITS[:1]


def _level(benchmark: Benchmark, query: Mapping[str, str]) -> Level:
    """The requested level, else the one of the requested strategy, else the first."""
    known = {level.number: level for level in benchmark.levels if level.strategies}
    if not known:
        raise BadAddress(f"raters answer all questions of {benchmark.title}: it has no board of right answers")
    of_strategy = {strategy.name: strategy.level for strategy in benchmark.strategies}
    number = query.get("level") or of_strategy.get(query.get("strategy", ""), next(iter(known)))
    return known[one_of("level", number, known)]


def _strategy(benchmark: Benchmark, level: Level, query: Mapping[str, str]) -> StrategyName:
    name = query.get("strategy") or level.strategies[0]
    return benchmark.strategy(one_of("strategy", name, level.strategies))


def _pack(available: AvailablePacks, query: Mapping[str, str], level: Level) -> Pack | None:
    if name := query.get("pack", ""):
        return available.find(one_of("pack", name, [pack.name for pack in available.packs]))
    return available.default_pack(level.strategies)


def published_places(benchmark: Benchmark, level: Level, strategy: StrategyName) -> list[tuple[str, str]]:
    """Condition and split of every published figure of this level and strategy; split '' = all splits."""
    rows = (row for row in benchmark.published if row.level == level.number and row.strategy in ("", strategy.name))
    return [(row.condition or strategy.condition, row.split) for row in rows]


def _condition(
    query: Mapping[str, str], benchmark: Benchmark, level: Level, strategy: StrategyName, answered: set[str]
) -> str:
    """The condition in the query string, which need not have rows yet, else the strategy's own, unless only others have
    rows or published figures.
    """
    printed = [condition for condition, _ in published_places(benchmark, level, strategy)]
    if wanted := query.get("condition"):
        return one_of("condition", wanted, tuple(dict.fromkeys((*CONDITIONS, *sorted(answered), *printed))))
    if strategy.condition in {*answered, *printed} or not (answered or printed):
        return strategy.condition
    return min(answered) if answered else printed[0]


def _split(benchmark: Benchmark, strategy: StrategyName, answered: set[str], query: Mapping[str, str]) -> str:
    splits = [split for split in strategy.splits if split in answered]
    default = (splits or list(strategy.splits))[0]
    return one_of("split", query.get("split") or default, benchmark.splits)


def _rows(text: str) -> tuple[str, ...]:
    wanted = [word for word in text.split(",") if word]
    for word in wanted:
        one_of("rows", word, ROW_KINDS)
    return tuple(kind for kind in ROW_KINDS if kind in wanted) or ROW_KINDS


def page_number(text: str) -> int:
    """Parse a page number from a query string, 1 to 9999; BadAddress for anything else."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= 9999:
        raise BadAddress(f"page={text[:20]}: a page is a number from 1")
    return int(text[:6])


def one_of(name: str, value: str, known: Collection[str]) -> str:
    """The value; BadAddress unless it is known."""
    if value not in known:
        raise BadAddress(unknown_value(name, value, known))
    return value


def unknown_value(name: str, value: str, known: Iterable[str]) -> str:
    """The message for a value that is none of the known ones."""
    return f"{name}={value[:60]} does not exist here; there is: {', '.join(filter(None, known)) or 'none yet'}"
