"""Compiles a benchmark's definition from its benchmark.toml."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import (
    NOT_IN_PAPER,
    NUMBER_PARSERS,
    SIGHT,
    Benchmark,
    Facet,
    FacetValue,
    GroupRule,
    Level,
    PackContents,
    PeopleStudy,
    Release,
    StrategyName,
)
from benchmarks.definitions.published_data import (
    Defect,
    PublishedRow,
    fields_of,
    published_row,
    published_tables,
    rows_of_tables,
    tables_of_rows,
)
from benchmarks.definitions.rated_dimensions import CANT_TELL, dimension_of
from benchmarks.definitions.wordings import AS_WRITTEN, ORDER, WORDS, PromptWording

PLACEHOLDER = re.compile(r"\{(\w*)\}")
PLACEHOLDERS = ("question", "options", "lead_in", "seconds")
OF_EXAMPLES = ("question", "answer")
USUAL = {"about": "", "citation": "", "media_policy": "public"}  # what a file need not state
OWN_FACETS = ("level", "test", "split")  # every benchmark has them
COLUMNS = ("id", "clip", "kind", "question", "lead_in", "options", "answer", "split", "group", "place", "rule")
# Ending of a prompt's name -> how the prompt changes the one that it is a variant of.
VARIANTS: Mapping[str, Callable[[StrategyName, tuple[PromptWording, ...]], StrategyName]] = {
    "likelihood": lambda way, _: way.with_likelihood,
    "constrained": lambda way, _: way.as_constrained,
    "wordings": lambda way, wordings: way.in_wordings(wordings),
}

# The answers that raters can give, by kind of answer; those of ratings are the steps of the file's dimensions.
RATED = {"rating": (), "pair": ("a", "b", "equal", "bad", CANT_TELL), "break": ("none", "break", CANT_TELL)}

Values = Mapping[str, tuple[str, ...]]  # facet -> values found in the questions


@dataclass(frozen=True)
class ItemKind:
    """One kind of question: its form of answer; its possible answers and its question if all its items share them."""

    name: str
    answer: str  # yes-no, label, choice, free, number or moment; rating, pair or break: raters answer
    levels: tuple[str, ...]
    options: tuple[str, ...] = ()
    question: str = ""

    @property
    def is_rated(self) -> bool:
        return self.answer in RATED

    @property
    def only_level(self) -> str:
        """Its level; '' if it has several."""
        return self.levels[0] if len(self.levels) == 1 else ""


@dataclass(frozen=True)
class BenchmarkText:
    """A benchmark.toml without mistakes: its text, its data, and what its importer needs."""

    text: str
    data: Mapping[str, Any] = field(compare=False)

    @property
    def slug(self) -> str:
        return str(self.data["slug"])

    @property
    def layout(self) -> str:
        return str(self.data.get("items", {}).get("layout", "table"))

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(self.data.get("splits", ("all",)))

    @property
    def levels(self) -> list[dict[str, Any]]:
        return list(self.data.get("levels") or [{"number": "1", "title": self.data["title"]}])

    @property
    def kinds(self) -> dict[str, ItemKind]:
        first = self.levels[0]["number"]
        return {
            one["name"]: ItemKind(
                one["name"], one["answer"], _levels_of(one, first), self._options(one), one.get("question", "").strip()
            )
            for one in self.data["kinds"]
        }

    def _options(self, kind: Mapping[str, Any]) -> tuple[str, ...]:
        """The possible answers of all questions of a kind; () if each has its own."""
        if kind["answer"] == "rating":
            answers = (answer for one in self.data.get("dimensions", ()) for answer in dimension_of(one).answers)
            return tuple(sorted(dict.fromkeys(answers), key=lambda answer: answer == CANT_TELL))
        if kind["answer"] == "yes-no":
            return ("yes", "no")
        return RATED.get(kind["answer"]) or tuple(kind.get("options", ()))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns allowed in its table of questions."""
        has_level = any(not kind.only_level for kind in self.kinds.values())
        facets = (one["name"] for one in self.data.get("facets", ()) if one["name"] not in ("level", "split"))
        return (*COLUMNS, *(("level",) if has_level else ()), *facets)

    @property
    def may_lack_answers(self) -> frozenset[str]:
        """The splits whose questions may lack an answer."""
        return frozenset(self.data.get("hidden", ()))


def _levels_of(kind: Mapping[str, Any], first: str) -> tuple[str, ...]:
    return tuple(kind.get("levels") or (kind.get("level", first),))


def kinds_of(own: BenchmarkText, prompt: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of question of a prompt."""
    level = prompt.get("level", own.levels[0]["number"])
    return tuple(prompt.get("kinds") or (kind.name for kind in own.kinds.values() if level in kind.levels))


def item_kinds(own: BenchmarkText, prompt: Mapping[str, Any]) -> list[ItemKind]:
    """The kinds of question of a prompt that the file describes."""
    known = own.kinds
    return [known[name] for name in kinds_of(own, prompt) if name in known]


def level_of(own: BenchmarkText, prompt: Mapping[str, Any]) -> str:
    return str(prompt.get("level") or own.kinds[kinds_of(own, prompt)[0]].levels[0])


def parser_of(own: BenchmarkText, prompt: Mapping[str, Any]) -> str:
    """The parser of a prompt: the named one, else the one for its measure, else the one for its kinds of answer."""
    answers = {kind.answer for kind in item_kinds(own, prompt)}
    numeric = [name for name in NUMBER_PARSERS if name in answers]
    usual = "" if "parsers" in own.data else "one-option"  # '' is the first of its parsers
    return str(prompt.get("parser") or prompt.get("measure") or (*numeric, usual)[0])


def compiled(own: BenchmarkText, found: Values, read_release: Callable[[Path], Release] | None) -> Benchmark:
    """The definition; `found` are the facet values that the file leaves to its questions."""
    data = own.data
    strategies = _strategies(own)
    facets = tuple(_facets(own, found))
    texts = [strategy.condition for strategy in strategies if strategy.condition == "text"]
    by_table = published_tables(data.get("tables", ()))
    stated = fields_of(data, *STATED, media_policy="media", made_policy="made_media", is_released="released")
    sheets = fields_of(data.get("sheets", {}), sheets_by="by", sheets_about="about")
    return Benchmark(
        **USUAL | stated | sheets,
        slug=own.slug,
        levels=tuple(_level(own, level, facets, strategies) for level in own.levels),
        facets=facets,
        strategies=strategies,
        parsers=tuple(data.get("parsers") or _parsers(strategies)),
        splits=own.splits,
        protocols=(*((f"{own.slug}-people",) if "people" in data else ()), *data.get("protocols", ())),
        read_release=read_release,
        published=(*rows_of_tables(by_table), *_published(own)),
        tables=(*by_table, *tables_of_rows(_published(own, only="cells"))),
        defects=tuple(Defect(**one) for one in data.get("defects", ())),
        kinds=tuple(_kinds(own)),
        scoring=tuple(data.get("scoring", ())) or SCORING,
        caveats=_FixedCaveats(tuple(data.get("caveats", ()))),
        conditions=tuple(dict.fromkeys((*data.get("conditions", SIGHT), *texts))),
        groups=_groups(data.get("groups")),
        dimensions=tuple(map(dimension_of, data.get("dimensions", ()))),
        is_file=True,
        people=_people(own),
    )


STATED = ("title", "question", "about", "version", "citation", "licence", "homepage", "rings", "clusters", "sealed")
SCORING = (
    "A reply counts when the parser of its prompt reads the right answer in it.",
    "What cannot be read counts as wrong, and its share is shown.",
)


def _parsers(strategies: tuple[StrategyName, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(strategy.parser for strategy in strategies), "one-option", "last-answer-line")))


def _kinds(own: BenchmarkText) -> Iterator[FacetValue]:
    for one in own.data["kinds"]:
        yield FacetValue(one["name"], one.get("title", one["name"]), level=own.kinds[one["name"]].only_level)


def _strategies(own: BenchmarkText) -> tuple[StrategyName, ...]:
    """The prompts in their order; a variant follows the prompt whose words it uses."""
    wordings = (AS_WRITTEN, *map(_wording, own.data.get("wordings", ())))
    found: dict[str, StrategyName] = {}
    for one in own.data["prompts"]:
        if base := one.get("variant_of"):
            way = VARIANTS[one["name"].removeprefix(f"{base}-")](found[base], wordings)
        else:
            way = _strategy(own, one)
        found[way.name] = way
    return tuple(found.values())


def _wording(record: Mapping[str, Any]) -> PromptWording:
    what = ORDER if record.get("changes") == "order" else WORDS
    return PromptWording(record["name"], tuple(record.get("put", {}).items()), record.get("rotated", 0), what)


OF_PROMPTS = (
    *("name", "title", "paper", "ours", "condition", "splits", "chances", "version", "system", "first", "example"),
    *("clip_names", "choice_names"),
)


def _strategy(own: BenchmarkText, one: Mapping[str, Any]) -> StrategyName:
    measure = one.get("measure")
    usual = {"title": one["name"], "paper": NOT_IN_PAPER, "ours": "paper" not in one, "splits": own.splits}
    return StrategyName(
        **usual | {"version": own.data["version"]} | fields_of(one, *OF_PROMPTS, prompt="text", shows_stills="stills"),
        level=level_of(own, one),
        kinds=kinds_of(own, one),
        parser=parser_of(own, one),
        by_surprise=measure == "surprise",
        by_moment=measure == "moment",
        by_rating=all(kind.is_rated for kind in item_kinds(own, one)),
        with_twin=measure == "which-of-two",
    )


def _level(
    own: BenchmarkText, one: Mapping[str, Any], facets: tuple[Facet, ...], strategies: tuple[StrategyName, ...]
) -> Level:
    groups = [facet.name for facet in facets if facet.name not in ("level", "split") and not facet.tells]
    return Level(
        **{"about": "", "groups": tuple(groups), "chance": None}
        | fields_of(one, "number", "title", "about", "groups", "chance", "printed", "dimensions"),
        strategies=tuple(way.name for way in strategies if way.level == one["number"] and not way.is_scored_apart),
    )


def _facets(own: BenchmarkText, found: Values) -> Iterator[Facet]:
    """The facets in the order of the file; the standard facets come around them unless the file names them."""
    declared = {one["name"]: one for one in own.data.get("facets", ())}
    first = [name for name in ("level", "test") if name not in declared]
    for name in (*first, *declared, *(("split",) if "split" not in declared else ())):
        one = declared.get(name, {})
        values = one.get("values") or [{"value": value} for value in found.get(name, ())]
        usual = _usual_values(own, name) if name not in declared or name in ("level", "split") else ()
        named = tuple(_value(own, name, each, found) for each in values) if one.get("values") or not usual else usual
        yield Facet(name, one.get("title") or TITLES[name], named, tells=one.get("tells", False))


TITLES = {"level": "Part", "test": "Kind of question", "split": "Split"}


def _usual_values(own: BenchmarkText, facet: str) -> tuple[FacetValue, ...]:
    """The values of a standard facet without an entry in the file."""
    if facet == "level":
        return tuple(FacetValue(level["number"], level["title"]) for level in own.levels)
    return tuple(_kinds(own)) if facet == "test" else tuple(FacetValue(name, name) for name in own.splits)


def _value(own: BenchmarkText, facet: str, record: Mapping[str, Any] | str, found: Values) -> FacetValue:
    """One value of a facet; a test gets its level if only one level has it."""
    one: Mapping[str, Any] = {"value": record} if isinstance(record, str) else record
    levels = [level["number"] for level in own.levels if one["value"] in found.get(tests_of_level(level["number"]), ())]
    level = levels[0] if facet == "test" and len(levels) == 1 else ""
    usual = {"title": one["value"], "level": level}
    return FacetValue(**usual | fields_of(one, "value", "title", "number", "caution", "level", "part_of", "concepts"))


def tests_of_level(number: str) -> str:
    """The name that stands for the tests of a level, to be found among its questions."""
    return f"test in level {number}"


def _published(own: BenchmarkText, *, only: str = "name") -> tuple[PublishedRow, ...]:
    """The published rows with this key; those with printed cells are tables of the paper, too."""
    first_level = own.levels[0]["number"]
    return tuple(published_row(one, first_level) for one in own.data.get("published", ()) if only in one)


def _groups(section: Mapping[str, Any] | None) -> GroupRule | None:
    return GroupRule(section["title"], section["rule"], section.get("size", 0)) if section else None


@dataclass(frozen=True)
class _FixedCaveats:
    """Caveats that hold for every pack; a class, since cached figures are pickled with their benchmark."""

    texts: tuple[str, ...]

    def __call__(self, contents: PackContents) -> tuple[str, ...]:
        return self.texts


def _people(own: BenchmarkText) -> PeopleStudy | None:
    section = own.data.get("people")
    if not section:
        return None
    usual = {"protocol": "one-by-one", "split": own.splits[0]}
    return PeopleStudy(**usual | fields_of(section, *section), answer=own.kinds[section["kind"]].answer)
