"""Makes a benchmark's definition out of its benchmark.toml, and finds what contradicts itself in it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import (
    NUMBER_PARSERS,
    SIGHT,
    Benchmark,
    Caveat,
    Facet,
    FacetValue,
    GroupRule,
    Level,
    PackContents,
    PeopleStudy,
    Release,
    StrategyName,
)
from benchmarks.definitions.files.schema import BadDefinition, Mistake, checked, key_of
from benchmarks.definitions.files.toml_lines import TomlText
from benchmarks.definitions.published_rows import PublishedCell, PublishedRow

PLACEHOLDER = re.compile(r"\{(\w*)\}")
PLACEHOLDERS = ("question", "options", "lead_in")
OWN_FACETS = ("level", "test", "split")  # every benchmark has them
COLUMNS = ("id", "clip", "kind", "question", "lead_in", "options", "answer", "split", "group", "place", "rule")
LONGEST = 20  # of the name of a kind in the database
BUILT_IN = "slugs and prompts of the benchmarks that are part of this site"

Values = Mapping[str, tuple[str, ...]]  # facet -> values found among the questions


@dataclass(frozen=True)
class ItemKind:
    """One kind of question: how it is answered, and its possible answers if all its questions share them."""

    name: str
    answer: str  # yes-no, label, choice, free, number or moment
    level: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class BenchmarkText:
    """A benchmark.toml that has no mistake: its text, its data, and what the importer of its questions needs."""

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
            one["name"]: ItemKind(one["name"], one["answer"], one.get("level", first), _options(one))
            for one in self.data["kinds"]
        }

    @property
    def may_lack_answers(self) -> frozenset[str]:
        """The splits whose questions may come without an answer."""
        return frozenset(self.data.get("hidden", ()))


def _options(kind: Mapping[str, Any]) -> tuple[str, ...]:
    return ("yes", "no") if kind["answer"] == "yes-no" else tuple(kind.get("options", ()))


def read_text(text: str, *, taken: frozenset[str] = frozenset()) -> BenchmarkText:
    """The text if it fits the schema and does not contradict itself; else BadDefinition with every mistake.

    `taken` are slugs and names of prompts that the site uses itself.
    """
    toml = checked(text)
    if found := sorted(contradictions(toml, taken), key=lambda one: one.line):
        raise BadDefinition(found)
    return BenchmarkText(text, toml.data)


def contradictions(toml: TomlText, taken: frozenset[str]) -> Iterator[Mistake]:
    """Everything that fits the schema and cannot be meant."""
    own = BenchmarkText("", toml.data)
    known = {
        "levels": [one["number"] for one in own.levels],
        "kinds": list(own.kinds),
        "splits": list(own.splits),
        "prompts": [one["name"] for one in toml.data["prompts"]],
        "facets": [*OWN_FACETS, *(one["name"] for one in toml.data.get("facets", ()))],
    }
    yield from _repeated(toml)
    for path, what, name in _references(toml.data):
        if name not in known[what]:
            there = f"there is no {name!r} among {what}; there is: {', '.join(known[what])}"
            yield Mistake(toml.line(path), key_of(path), there)
    for path, name in (
        (("slug",), own.slug),
        *((("prompts", n, "name"), one["name"]) for n, one in _each(toml, "prompts")),
    ):
        if name in taken:
            yield Mistake(toml.line(path), key_of(path), f"{name!r} is taken: choose a name unlike {BUILT_IN}")
    yield from _of_kinds(toml)
    yield from _of_prompts(toml, own)
    yield from _of_people(toml, own)


def _each(toml: TomlText, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    yield from enumerate(toml.data.get(name, ()))


def _repeated(toml: TomlText) -> Iterator[Mistake]:
    for table, name in (("levels", "number"), ("facets", "name"), ("kinds", "name"), ("prompts", "name")):
        seen = set()
        for place, one in _each(toml, table):
            if one[name] in seen:
                path = (table, place, name)
                yield Mistake(toml.line(path), key_of(path), f"{one[name]!r} stands there twice")
            seen.add(one[name])
    for place, one in _each(toml, "facets"):
        if one["name"] in (*COLUMNS, "level"):
            path = ("facets", place, "name")
            yield Mistake(toml.line(path), key_of(path), f"{one['name']!r} is a column of the site's own")


def _references(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """(path, the table that it refers to, the name) of each reference."""
    for name in ("hidden", "sealed"):
        yield from (((name,), "splits", one) for one in data.get(name, ()))
    for place, one in enumerate(data.get("levels", ())):
        yield from ((("levels", place, "groups"), "facets", name) for name in one.get("groups", ()))
    for place, one in enumerate(data["kinds"]):
        if "level" in one:
            yield ("kinds", place, "level"), "levels", one["level"]
    for place, one in enumerate(data["prompts"]):
        yield from ((("prompts", place, "kinds"), "kinds", name) for name in one.get("kinds", ()))
        yield from ((("prompts", place, "splits"), "splits", name) for name in one.get("splits", ()))
    for place, one in enumerate(data.get("published", ())):
        for name, table in (("level", "levels"), ("prompt", "prompts"), ("split", "splits")):
            if name in one:
                yield ("published", place, name), table, one[name]
    yield from _references_of_people(data)


def _references_of_people(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    if people := data.get("people"):
        yield ("people", "kind"), "kinds", people["kind"]
        if "split" in people:
            yield ("people", "split"), "splits", people["split"]


def _of_kinds(toml: TomlText) -> Iterator[Mistake]:
    for place, one in _each(toml, "kinds"):
        path = ("kinds", place, "options")
        if "options" in one and one["answer"] not in ("label", "choice"):
            yield Mistake(toml.line(path), key_of(path), f"a question answered by {one['answer']} has no options")
    for place, one in _each(toml, "levels"):
        own = BenchmarkText("", toml.data)
        if one["number"] not in {kind.level for kind in own.kinds.values()}:
            yield Mistake(
                toml.line(("levels", place)), f"levels[{place + 1}]", f"no kind of question has level {one['number']!r}"
            )


def _of_prompts(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    conditions = own.data.get("conditions", SIGHT)
    asked = set()
    for place, one in _each(toml, "prompts"):
        path = ("prompts", place, "text")
        for name in ("text", "first"):
            unknown = [word for word in PLACEHOLDER.findall(one.get(name, "")) if word not in PLACEHOLDERS]
            if unknown:
                there = ", ".join(f"{{{word}}}" for word in PLACEHOLDERS)
                what = f"{{{unknown[0]}}} is no placeholder; there is: {there}"
                yield Mistake(toml.line(("prompts", place, name)), key_of(("prompts", place, name)), what)
        if "{question}" not in one["text"] and "{lead_in}" not in one["text"]:
            yield Mistake(toml.line(path), key_of(path), "asks no question: it needs {question}")
        levels = {own.kinds[kind].level for kind in kinds_of(own, one) if kind in own.kinds}
        if len(levels) > 1:
            what = f"its kinds are of several levels: {', '.join(sorted(levels))}; one prompt asks one level"
            yield Mistake(toml.line(("prompts", place, "kinds")), key_of(("prompts", place, "kinds")), what)
        asked |= levels
        yield from _of_numbers(toml, own, place, one)
        if (given := one.get("condition", "video")) not in conditions and given != "text":
            what = f"{given!r} is not among the benchmark's conditions: {', '.join(conditions)}"
            yield Mistake(toml.line(("prompts", place, "condition")), key_of(("prompts", place, "condition")), what)
    for level in {one["number"] for one in own.levels} - asked:
        if level in {kind.level for kind in own.kinds.values()}:
            yield Mistake(toml.line(("prompts",)), "prompts", f"no prompt asks level {level!r}")


def _of_numbers(toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any]) -> Iterator[Mistake]:
    """Numbers and moments are read by parsers of their own, which read nothing else."""
    answers = {own.kinds[kind].answer for kind in kinds_of(own, one) if kind in own.kinds}
    numeric, told = sorted(answers & {*NUMBER_PARSERS}), parser_of(own, one)
    path = ("prompts", place, "parser" if "parser" in one else "kinds")
    if numeric and len(answers) > 1:
        what = (
            f"asks for answers of several sorts: {', '.join(sorted(answers))}; {numeric[0]} needs a prompt of its own"
        )
        yield Mistake(toml.line(path), key_of(path), what)
    elif answers and {*numeric} != {told} & {*NUMBER_PARSERS}:
        what = f"{told!r} does not read answers of kind {', '.join(sorted(answers))}"
        yield Mistake(toml.line(path), key_of(path), what)


def parser_of(own: BenchmarkText, prompt: Mapping[str, Any]) -> str:
    """The parser of a prompt: as told, else by the answers of its kinds."""
    answers = {own.kinds[kind].answer for kind in kinds_of(own, prompt) if kind in own.kinds}
    numeric = [name for name in NUMBER_PARSERS if name in answers]
    return str(prompt.get("parser") or (*numeric, "one-option")[0])


def _of_people(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    people = own.data.get("people")
    kind = own.kinds.get(people["kind"]) if people else None
    if people and kind:
        if kind.answer not in ("yes-no", "label", "choice"):
            path: tuple[str | int, ...] = ("people", "kind")
            what = f"people choose among answers here, and this kind is {kind.answer}"
            yield Mistake(toml.line(path), key_of(path), what)
        letters = {chr(ord("a") + place) for place in range(26)} if kind.answer == "choice" else set(kind.options)
        for answer in people.get("labels", {}):
            path = ("people", "labels", answer)
            if letters and answer not in letters:
                there = ", ".join(sorted(letters)) if kind.answer != "choice" else "a to z"
                yield Mistake(
                    toml.line(path), key_of(path), f"no answer of {kind.name} is {answer!r}; there is: {there}"
                )


def kinds_of(own: BenchmarkText, prompt: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of question that a prompt asks."""
    first = own.levels[0]["number"]
    return tuple(prompt.get("kinds") or (kind.name for kind in own.kinds.values() if kind.level == first))


def compiled(own: BenchmarkText, found: Values, read_release: Callable[[Path], Release] | None) -> Benchmark:
    """The definition; `found` are the values of facets that the file leaves to its questions."""
    data = own.data
    strategies = tuple(_strategy(own, one) for one in data["prompts"])
    facets = tuple(_facets(own, found))
    conditions = tuple(data.get("conditions", SIGHT))
    asks_text = any(one.condition == "text" for one in strategies)
    return Benchmark(
        slug=own.slug,
        title=data["title"],
        question=data["question"],
        about=data.get("about", ""),
        version=data["version"],
        citation=data.get("citation", ""),
        licence=data["licence"],
        homepage=data.get("homepage", ""),
        media_policy=data.get("media", "public"),
        levels=tuple(_level(own, one, facets) for one in own.levels),
        facets=facets,
        strategies=strategies,
        parsers=tuple(dict.fromkeys((*(one.parser for one in strategies), "one-option", "last-answer-line"))),
        splits=own.splits,
        protocols=(f"{own.slug}-people",) if "people" in data else (),
        read_release=read_release,
        published=tuple(_published(own)),
        kinds=tuple(
            FacetValue(one["name"], one.get("title", one["name"]), level=own.kinds[one["name"]].level)
            for one in data["kinds"]
        ),
        scoring=tuple(data.get("scoring", ())) or _scoring(data),
        caveats=_caveats(tuple(data.get("caveats", ()))),
        conditions=(*conditions, *(("text",) if asks_text and "text" not in conditions else ())),
        groups=_groups(data.get("groups")),
        is_file=True,
        people=_people(own),
        sealed=tuple(data.get("sealed", ())),
    )


def _strategy(own: BenchmarkText, one: Mapping[str, Any]) -> StrategyName:
    kinds = kinds_of(own, one)
    return StrategyName(
        name=one["name"],
        title=one.get("title", one["name"]),
        paper=one.get("paper", "not in the paper"),
        level=own.kinds[kinds[0]].level,
        kinds=kinds,
        ours="paper" not in one,
        condition=one.get("condition", "video"),
        splits=tuple(one.get("splits", own.splits)),
        parser=parser_of(own, one),
        version=own.data["version"],
        prompt=one["text"],
        first=one.get("first", ""),
    )


def _level(own: BenchmarkText, one: Mapping[str, Any], facets: tuple[Facet, ...]) -> Level:
    number = one["number"]
    groups = [facet.name for facet in facets if facet.name not in ("level", "split") and not facet.tells]
    asking = [each["name"] for each in own.data["prompts"] if own.kinds[kinds_of(own, each)[0]].level == number]
    about = one.get("about", "")
    return Level(number, one["title"], about, tuple(one.get("groups", groups)), tuple(asking), one.get("chance"))


def _facets(own: BenchmarkText, found: Values) -> Iterator[Facet]:
    yield Facet("level", "Part", tuple(FacetValue(one["number"], one["title"]) for one in own.levels))
    declared = {one["name"]: one for one in own.data.get("facets", ())}
    if "test" not in declared:
        kinds = (
            FacetValue(one["name"], one.get("title", one["name"]), level=own.kinds[one["name"]].level)
            for one in own.data["kinds"]
        )
        yield Facet("test", "Kind of question", tuple(kinds))
    for name, one in declared.items():
        values = one.get("values") or [{"value": value} for value in found.get(name, ())]
        told = tuple(_value(own, name, each, found) for each in values)
        yield Facet(name, one["title"], told, tells=one.get("tells", False))
    yield Facet("split", "Split", tuple(FacetValue(name, name) for name in own.splits))


def _value(own: BenchmarkText, facet: str, one: Mapping[str, Any], found: Values) -> FacetValue:
    """One value of a facet; of tests with the only level that asks it."""
    levels = [level["number"] for level in own.levels if one["value"] in found.get(tests_of_level(level["number"]), ())]
    level = levels[0] if facet == "test" and len(levels) == 1 else ""
    return FacetValue(one["value"], one.get("title", one["value"]), caution=one.get("caution", ""), level=level)


def tests_of_level(number: str) -> str:
    """The name under which the tests of a level are found among its questions."""
    return f"test in level {number}"


def _scoring(data: Mapping[str, Any]) -> tuple[str, ...]:
    sentences = ["A reply counts when the parser of its prompt reads the right answer in it."]
    sentences.append("What cannot be read counts as wrong, and its share is shown.")
    return tuple(sentences)


def _groups(told: Mapping[str, Any] | None) -> GroupRule | None:
    return GroupRule(told["title"], told["rule"], told.get("size", 0)) if told else None


def _caveats(texts: tuple[str, ...]) -> Callable[[PackContents], tuple[Caveat, ...]]:
    return lambda _: tuple(Caveat(text) for text in texts)


def _published(own: BenchmarkText) -> Iterator[PublishedRow]:
    for one in own.data.get("published", ()):
        yield PublishedRow(
            name=one["name"],
            level=one.get("level", own.levels[0]["number"]),
            strategy=one.get("prompt", ""),
            source=one["source"],
            cells=tuple(PublishedCell(column, f"{value:g}") for column, value in one["figures"].items()),
            kind=one.get("kind", "model"),
            note=one.get("note", ""),
            split=one.get("split", ""),
        )


def _people(own: BenchmarkText) -> PeopleStudy | None:
    told = own.data.get("people")
    if not told:
        return None
    given = {name: told[name] for name in ("labels", "clips", "answers", "questions", "seconds") if name in told}
    study = PeopleStudy(
        protocol=told.get("protocol", "one-by-one"),
        title=told["title"],
        kind=told["kind"],
        split=told.get("split", own.splits[0]),
        invitation=told["invitation"],
        instructions=tuple(told["instructions"]),
        debrief=tuple(told.get("debrief", ())),
    )
    return replace(study, **given)
