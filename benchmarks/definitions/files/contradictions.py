"""Finds what fits the schema of a benchmark.toml but makes no sense, with its line and its key."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.definitions.definition import NUMBER_PARSERS, SIGHT
from benchmarks.definitions.files.compile import (
    COLUMNS,
    OF_EXAMPLES,
    OWN_FACETS,
    PLACEHOLDER,
    PLACEHOLDERS,
    VARIANTS,
    BenchmarkText,
    ItemKind,
    item_kinds,
    parser_of,
)
from benchmarks.definitions.files.schema import (
    BadDefinition,
    KeyPath,
    Mistake,
    TomlText,
    checked,
    key_of,
    keys_in,
    schema,
)
from benchmarks.definitions.rated_dimensions import CANT_TELL
from measures.scores.moment_answers import NOTHING_WRONG

BUILT_IN = "slugs and prompts of the benchmarks that are part of this site"


def read_text(text: str, *, taken: frozenset[str] = frozenset()) -> BenchmarkText:
    """The text if it fits the schema and is consistent; else raises BadDefinition with every mistake.

    `taken` are slugs and names of prompts that the site uses itself.
    """
    toml = checked(text)
    if found := sorted(contradictions(toml, taken), key=lambda contradiction: contradiction.line):
        raise BadDefinition(found)
    return BenchmarkText(text, toml.data)


def contradictions(toml: TomlText, taken: frozenset[str]) -> Iterator[Mistake]:
    """Yield everything that fits the schema but makes no sense."""
    own = BenchmarkText("", toml.data)
    known = {
        "levels": [level["number"] for level in own.levels],
        "kinds": list(own.kinds),
        "splits": list(own.splits),
        "prompts": [one["name"] for one in toml.data["prompts"]],
        "facets": [*OWN_FACETS, *(one["name"] for one in toml.data.get("facets", ()))],
    }
    yield from _repeated(toml, own)
    for path, what, name in _references(toml.data):
        if name not in known[what]:
            yield _mistake(toml, path, f"there is no {name!r} among {what}; there is: {', '.join(known[what])}")
    for path, name in (
        (("slug",), own.slug),
        *((("prompts", n, "name"), one["name"]) for n, one in _each(toml, "prompts")),
    ):
        if name in taken:
            yield _mistake(toml, path, f"{name!r} is taken: choose a name unlike {BUILT_IN}")
    yield from _of_site(toml, is_of_site=not taken)
    yield from _of_kinds(toml, own)
    yield from _of_dimensions(toml, own)
    yield from _of_prompts(toml, own, is_of_site=not taken)
    yield from _of_people(toml, own)
    yield from _of_figures(toml)


def _mistake(toml: TomlText, path: KeyPath, what: str) -> Mistake:
    return Mistake(toml.line(path), key_of(path), what)


def _of_site(toml: TomlText, *, is_of_site: bool) -> Iterator[Mistake]:
    """Keys that work only with parts of this site."""
    for path, own in keys_in(toml.data, schema()):
        if own.get("site") and not is_of_site:
            yield _mistake(toml, path, "is only for benchmarks that are part of this site")


def _each(toml: TomlText, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    yield from enumerate(toml.data.get(name, ()))


NAMED = ("facets", "kinds", "dimensions", "prompts", "wordings", "tables")
UNIQUE = (("levels", "number"), *((table, "name") for table in NAMED))


def _repeated(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    for table, name in UNIQUE:
        seen = set()
        for place, one in _each(toml, table):
            if one[name] in seen:
                yield _mistake(toml, (table, place, name), f"{one[name]!r} appears twice")
            seen.add(one[name])
    for place, one in _each(toml, "facets"):
        if own.layout == "table" and one["name"] in COLUMNS and one["name"] != "split":
            yield _mistake(toml, ("facets", place, "name"), f"{one['name']!r} is a column of the site's own")


def _references(data: dict[str, Any]) -> Iterator[tuple[KeyPath, str, str]]:
    """(path, the table that it refers to, the name) for each reference."""
    for path, own in keys_in(data, schema()):
        if what := own.get("refers"):
            facts: Any = data
            for part in path:
                facts = facts[part]
            yield from ((path, what, name) for name in ([facts] if isinstance(facts, str) else facts))


def _of_kinds(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    for place, one in _each(toml, "kinds"):
        if "options" in one and one["answer"] not in ("label", "choice"):
            what = f"a question answered by {one['answer']} has no options"
            yield _mistake(toml, ("kinds", place, "options"), what)
        if "level" in one and "levels" in one:
            yield _mistake(toml, ("kinds", place, "levels"), "stands beside level: one of the two is needed")
    used = {number for kind in own.kinds.values() for number in kind.levels}
    for place, one in _each(toml, "levels"):
        if one["number"] not in used:
            yield _mistake(toml, ("levels", place), f"no kind of question has level {one['number']!r}")
    for place, one in _each(toml, "facets"):
        values = [value if isinstance(value, str) else value["value"] for value in one.get("values", ())]
        for at, value in enumerate(one.get("values", ())):
            path = ("facets", place, "values", at)
            if isinstance(value, dict) and value.get("part_of", values[0]) not in values:
                yield _mistake(toml, (*path, "part_of"), f"there is no such value; there is: {', '.join(values)}")
            if values.index(values[at]) != at:
                yield _mistake(toml, path, f"{values[at]!r} appears twice")


def mistakes_of_scales(toml: TomlText) -> Iterator[Mistake]:
    """Scales whose steps don't fit their values."""
    for place, one in _each(toml, "dimensions"):
        at = "dimensions", place
        if "values" in one and len(one["values"]) != len(one["anchors"]):
            what = f"has {len(one['values'])} values for {len(one['anchors'])} anchors"
            yield _mistake(toml, (*at, "values"), what)
        if CANT_TELL in one.get("values", ()):
            yield _mistake(toml, (*at, "values"), f"{CANT_TELL!r} is stored for those who can't tell")
        if "values" in one and "first" in one:
            yield _mistake(toml, (*at, "first"), "stands beside values: one of the two is needed")


def _of_dimensions(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    """Scales, and questions of raters without a dimension."""
    yield from mistakes_of_scales(toml)
    for place, one in _each(toml, "kinds"):
        if one["answer"] == "rating" and "dimensions" not in own.data:
            yield _mistake(toml, ("kinds", place, "answer"), "a rating needs [[dimensions]], which say what is rated")


def _of_prompts(toml: TomlText, own: BenchmarkText, *, is_of_site: bool) -> Iterator[Mistake]:
    questions, titles = set(), set[str]()
    for place, one in _each(toml, "prompts"):
        if "variant_of" in one:
            yield from _of_variant(toml, own, place, one)
            continue
        yield from _of_names(toml, own, place, one, titles)
        yield from _of_words(toml, own, place, one)
        yield from _of_level(toml, own, place, one)
        own_level = (one["level"],) if "level" in one else ()
        questions |= {level for kind in item_kinds(own, one) for level in own_level or kind.levels}
        if "measure" not in one:
            yield from _of_numbers(toml, own, place, one)
        conditions = own.data.get("conditions", SIGHT)
        if (values := one.get("condition", "video")) not in conditions and values != "text":
            what = f"{values!r} is not among the benchmark's conditions: {', '.join(conditions)}"
            yield _mistake(toml, ("prompts", place, "condition"), what)
        for name in SHOWN_APART:
            if name in one and not is_of_site and not one["name"].startswith(f"{own.slug}-"):
                what = f"a prompt with {name} needs a name that begins with {own.slug}-"
                yield _mistake(toml, ("prompts", place, "name"), what)
    without_prompts = {level for kind in own.kinds.values() if kind.answer == "break" for level in kind.levels}
    for level in {one["number"] for one in own.levels} - questions - without_prompts:  # breaks are people's alone
        if level in {number for kind in own.kinds.values() for number in kind.levels}:
            yield Mistake(toml.line(("prompts",)), "prompts", f"no prompt asks level {level!r}")


LONGEST_NAME = 28  # of a prompt that may have variants, whose names are longer


def _of_names(
    toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any], titles: set[str]
) -> Iterator[Mistake]:
    """A title that stands above already (`titles` are those, and it joins them), and a name that is too long."""
    if (title := one.get("title", one["name"])) in titles:
        what = f"{title!r} is the title of a prompt above it: nobody could tell their rows apart"
        yield _mistake(toml, ("prompts", place, "title"), what)
    titles.add(title)
    if len(one["name"]) > LONGEST_NAME and not all(kind.is_rated for kind in item_kinds(own, one)):
        yield _mistake(toml, ("prompts", place, "name"), f"is too long; at most {LONGEST_NAME} letters")


SHOWN_APART = ("example", "stills")  # what a run must learn about a prompt from its name alone


def _of_variant(toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any]) -> Iterator[Mistake]:
    before = {prompt["name"]: prompt for prompt in own.data["prompts"][:place] if "variant_of" not in prompt}
    base, way = one["variant_of"], one["name"].removeprefix(f"{one['variant_of']}-")
    at = "prompts", place
    if base not in before:
        yield _mistake(toml, (*at, "variant_of"), f"{base!r} is no prompt above it with words of its own")
    if way not in VARIANTS or way == one["name"]:
        yield _mistake(toml, (*at, "name"), f"a variant is named {base}- and one of: {', '.join(VARIANTS)}")
    if way == "wordings" and "wordings" not in own.data:
        yield _mistake(toml, (*at, "name"), "there are no wordings")
    for name in one.keys() - {"name", "variant_of"}:
        yield _mistake(toml, (*at, name), "a variant has no words of its own: leave it out")
    kinds = item_kinds(own, before[base]) if base in before else ()
    open_kinds = [kind.name for kind in kinds if kind.answer not in WITH_OPTIONS]
    if open_kinds and way != "wordings":
        yield _mistake(toml, (*at, "name"), f"questions of kind {open_kinds[0]} have no options")


WITH_OPTIONS = ("yes-no", "label", "choice")


def _of_words(toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any]) -> Iterator[Mistake]:
    """Missing texts, and placeholders that nothing fills."""
    at = "prompts", place
    measure = one.get("measure")
    if not one.keys() & {"text", "system"} and measure != "surprise":
        yield _mistake(toml, (*at, "text"), "is missing: what the model is asked, with {question}")
    for name in one.keys() & {"text", "system"} if measure == "surprise" else ():
        yield _mistake(toml, (*at, name), "surprise is measured without words: leave it out")
    for name, known in (
        ("text", PLACEHOLDERS),
        ("system", PLACEHOLDERS),
        ("first", PLACEHOLDERS),
        ("example", OF_EXAMPLES),
    ):
        unknown = [word for word in PLACEHOLDER.findall(one.get(name, "")) if word not in known]
        if unknown:
            there = ", ".join(f"{{{word}}}" for word in known)
            yield _mistake(toml, (*at, name), f"{{{unknown[0]}}} is no placeholder; there is: {there}")
    if not measure and one.keys() & {"text", "system"} and not _asks(own, one):
        yield _mistake(toml, (*at, "text"), "asks no question: it needs {question}, or kinds with a question")


def _asks(own: BenchmarkText, prompt: Mapping[str, Any]) -> bool:
    """Whether the prompt asks the item's question, or one that its kinds always ask, in words of its own."""
    words = prompt.get("text", "") + prompt.get("system", "")
    is_fixed = all(kind.question or kind.is_rated for kind in item_kinds(own, prompt))
    return "{question}" in words or "{lead_in}" in words or is_fixed


def _of_level(toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any]) -> Iterator[Mistake]:
    kinds = item_kinds(own, one)
    levels = {level for kind in kinds for level in kind.levels}
    if "level" in one:
        if any(one["level"] not in kind.levels for kind in kinds):
            what = f"not all its kinds are of level {one['level']!r}; theirs: {', '.join(sorted(levels))}"
            yield _mistake(toml, ("prompts", place, "level"), what)
    elif len(levels) > 1:
        what = f"its kinds are of several levels: {', '.join(sorted(levels))}; one prompt asks one level"
        yield _mistake(toml, ("prompts", place, "kinds"), what)


def _of_numbers(toml: TomlText, own: BenchmarkText, place: int, one: Mapping[str, Any]) -> Iterator[Mistake]:
    """Numbers and moments with a parser that does not read them, or the other way round."""
    answers = {kind.answer for kind in item_kinds(own, one)}
    numeric, facts = sorted(answers & {*NUMBER_PARSERS}), parser_of(own, one)
    path = ("prompts", place, "parser" if "parser" in one else "kinds")
    if numeric and len(answers) > 1:
        sorts = ", ".join(sorted(answers))
        yield _mistake(
            toml, path, f"asks for answers of several sorts: {sorts}; {numeric[0]} needs a prompt of its own"
        )
    elif answers and {*numeric} != {facts} & {*NUMBER_PARSERS}:
        yield _mistake(toml, path, f"{facts!r} does not read answers of kind {', '.join(sorted(answers))}")


def _of_figures(toml: TomlText) -> Iterator[Mistake]:
    """Published rows without one of figures and cells, wordings without a change, and tables that don't match."""
    for place, one in _each(toml, "published"):
        if ("figures" in one) == ("cells" in one):
            yield _mistake(toml, ("published", place, "figures"), "one of figures and cells is needed")
    for place, one in _each(toml, "wordings"):
        if not one.keys() & {"put", "rotated"}:
            yield _mistake(toml, ("wordings", place), "changes nothing: it needs put or rotated")
    yield from _of_tables(toml)


def _of_tables(toml: TomlText) -> Iterator[Mistake]:
    for place, one in _each(toml, "tables"):
        titles = [column["title"] for column in one["columns"]]
        for at, column in enumerate(one["columns"]):
            if unknown := [title for title in column.get("difference", ()) if title not in titles]:
                what = f"there is no column {unknown[0]!r}; there is: {', '.join(titles)}"
                yield _mistake(toml, ("tables", place, "columns", at, "difference"), what)
        for at, row in enumerate(one["rows"]):
            if len(row["cells"]) != len(titles):
                what = f"has {len(row['cells'])} cells for {len(titles)} columns"
                yield _mistake(toml, ("tables", place, "rows", at, "cells"), what)
            for title in row.get("marks", {}).keys() - {*titles}:
                what = f"there is no column {title!r}; there is: {', '.join(titles)}"
                yield _mistake(toml, ("tables", place, "rows", at, "marks"), what)


def _of_people(toml: TomlText, own: BenchmarkText) -> Iterator[Mistake]:
    people = own.data.get("people")
    kind = own.kinds.get(people["kind"]) if people else None
    if people and kind:
        if kind.is_rated:
            yield _mistake(toml, ("people", "kind"), f"raters answer {kind.name} in a study of its own: leave it out")
        if kind.answer == "free":
            yield _mistake(
                toml, ("people", "kind"), "people choose an answer here, or give a number; this kind is free"
            )
        if kind.answer in NUMBER_PARSERS and people.get("clips", 1) != 1:
            yield _mistake(toml, ("people", "clips"), f"a {kind.answer} is asked beside one clip")
        known = _labels_of(kind)
        for answer in people.get("labels", {}):
            if known and answer not in known:
                there = ", ".join(sorted(known)) if kind.answer != "choice" else "a to z"
                what = f"no answer of {kind.name} is {answer!r}; there is: {there}"
                yield _mistake(toml, ("people", "labels", answer), what)


def _labels_of(kind: ItemKind) -> frozenset[str]:
    """The answers of a kind that have a button; empty if each question has its own answers."""
    letters = frozenset(chr(ord("a") + place) for place in range(26))
    of_kinds = {"choice": letters, "number": frozenset({"number"}), "moment": frozenset({"seconds", NOTHING_WRONG})}
    return of_kinds.get(kind.answer, frozenset(kind.options))
