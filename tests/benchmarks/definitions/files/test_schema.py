"""Errors in every key of benchmark.toml: the message has the line, the key and the allowed values."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.files.layouts import LAYOUTS, OWN_LAYOUTS
from benchmarks.definitions.files.schema import (
    SCHEMA,
    BadDefinition,
    TomlText,
    key_of,
    mistakes_of_form,
    read_toml,
    schema,
)
from benchmarks.definitions.registry import BUILT_IN
from benchmarks.models import BenchmarkFile, Pack
from benchmarks.packs.benchmark_files import SHIPPED, shipped, taken_names
from evaluation.inputs.frames import CONDITIONS
from evaluation.parsing import PARSERS
from measures.scores.group_scores import RULES
from tests.benchmarks.definitions.files import further_keys
from tests.benchmarks.definitions.files.folders import TOML, write_folder

FULL = TOML.replace(
    'licence = "CC0"',
    'licence = "CC0"\nhomepage = "https://example.org"\nmedia = "public"\nconditions = ["video", "text"]'
    '\nscoring = ["Right."]\ncaveats = ["Small."]\nsealed = ["held-out"]',
)


def mistakes(text):
    with pytest.raises(BadDefinition) as found:
        read_text(text, taken=taken_names())
    return found.value.mistakes


def keys_of(node, path=()):
    """Yield every key of the schema with its own schema, through tables and lists of tables."""
    for name, own in node.get("properties", {}).items():
        yield (*path, name), own
        yield from keys_of(own, (*path, name))
        yield from keys_of(own.get("items", {}), (*path, name))


WRONG = [
    ('schema = 1', 'schema = "1"', "schema", "there is: 1"),
    ('slug = "falling"', 'slug = "Falling!"', "slug", "lower-case"),
    ('slug = "falling"', 'slug = "grasp"', "slug", "taken"),
    ('title = "Falling things"', 'title = 7', "title", "a text in quotes"),
    ('question = "Does it fall as things fall?"', 'question = ""', "question", "too short"),
    ('version = "1.0"\n', '', "version", "is missing"),
    ('splits = ["all", "held-out"]', 'splits = []', "splits", "too short"),
    ('splits = ["all", "held-out"]', 'splits = ["all", "all"]', "splits", "twice"),
    ('hidden = ["held-out"]', 'hidden = ["test"]', "hidden", "there is: all, held-out"),
    ('file = "items.csv"', 'files = "items.csv"', "items.files", "there is: layout, file, clips"),
    ('[[kinds]]\nname = "what"',
     '[[levels]]\nnumber = "2"\ntitle = "x"\nchance = 1.5\n\n[[kinds]]\nname = "what"',
     'levels[1].chance', 'at most 1'),
    ('[[kinds]]\nname = "what"',
     '[[levels]]\nnumber = "1"\ntitle = "x"\ngroups = ["place"]\n\n[[kinds]]\nname = "what"',
     'levels[1].groups', 'there is: level, test, split, scene'),
    ('name = "scene"\n', 'name = "answer"\n', "facets[1].name", "column of the site's own"),
    ('answer = "yes-no"', 'answer = "yes-no"\noptions = ["yes", "no"]', "kinds[1].options", "has no options"),
    ('answer = "choice"', 'answer = "choice"\nlevel = "3"', "kinds[2].level", "there is: 1"),
    ('name = "falling-look"', 'name = "falling-direct"', "prompts[2].name", "twice"),
    ('title = "look first"', 'title = "direct"', "prompts[2].title", "'direct' is the title of a prompt above it"),
    ('name = "falling-direct"', 'name = "binary"', "prompts[1].name", "taken"),
    ('kinds = ["plausible", "what"]\ntext',
     'kinds = ["plausible", "why"]\ntext',
     'prompts[1].kinds', 'there is: plausible, what'),
    ('{options}"', '{choices}"', "prompts[1].text", "{question}, {options}, {lead_in}"),
    ('text = "{question} ({lead_in})"', 'text = "Well?"', "prompts[2].text", "needs {question}"),
    ('parser = "last-answer-line"', 'system = "{choices}"', "prompts[2].system", "{question}, {options}, {lead_in}"),
    ('parser = "last-answer-line"', 'condition = "audio"', "prompts[2].condition", "not among"),
    ('parser = "last-answer-line"', 'splits = ["test"]', "prompts[2].splits", "there is: all, held-out"),
    ('size = 2', 'size = 1', "groups.size", "at least 2"),
    ('kind = "plausible"\ninvitation', 'kind = "why"\ninvitation', "people.kind", "there is: plausible, what"),
    ('kind = "plausible"\ninvitation',
     'kind = "plausible"\nsplit = "test"\ninvitation',
     'people.split', 'there is: all, held-out'),
    ('yes = "It can happen"', 'perhaps = "It can happen"', "people.labels.perhaps", "there is: no, yes"),
    ('prompt = "falling-direct"', 'prompt = "open"', "published[1].prompt", "there is: falling-direct, falling-look"),
    ('answer = "choice"', 'answer = "number"', "prompts[1].kinds", "several sorts: number, yes-no"),
    ('parser = "last-answer-line"', 'parser = "moment"', "prompts[2].parser", "'moment' does not read answers of kind"),
    ('source = "Table 1"', 'source = "Table 1"\nlevel = "3"', "published[1].level", "there is: 1"),
    ('source = "Table 1"', 'source = "Table 1"\nsplit = "test"', "published[1].split", "there is: all, held-out"),
    ('figures = { overall = 61.5, drop = 70 }', 'figures = {}', "published[1].figures", "at least 1"),
    ('schema = 1', 'schema = ', "", "no TOML"),
]  # fmt: skip


EVERY = [(FULL, *one) for one in WRONG] + [(further_keys.TEXT, *one) for one in further_keys.WRONG]


def is_named(text: str, key: str, allowed: str) -> bool:
    """Whether the mistakes of this text name the key, its line and what is allowed."""
    named = [one for one in mistakes(text) if one.key == key and allowed in one.what]
    if not named:
        return False
    last = re.split(r"[.\[]", key)[-1].rstrip("]0123456789") or ""
    at = text.splitlines()[named[0].line - 1]
    inside_a_line = ("values", "figures", "conditions", "scoring", "parsers", "clip_names", "cells")
    words = last in at or any(name in at for name in inside_a_line)
    return words or "is missing" in named[0].what or at.startswith("  ")


def test_a_mistake_names_its_line_its_key_and_what_is_allowed():
    assert [one for one in EVERY if one[1] not in one[0]] == []
    unnamed = [(right, wrong, key) for full, right, wrong, key, allowed in EVERY
               if not is_named(full.replace(right, wrong, 1), key, allowed)]  # fmt: skip
    assert not unnamed, "\n".join(map(str, unnamed))


@pytest.mark.parametrize(("sign", "what"), [("9", "a number is too long"), ("[", "nested too deeply")])
def test_what_python_can_not_read_is_a_mistake_like_others(sign, what):
    (mistake,) = mistakes(FULL.replace("schema = 1", f"schema = {sign * 5000}", 1))
    assert f"no TOML: {what}" in str(mistake)


@pytest.mark.django_db
def test_no_wrong_file_leaves_anything(tmp_path):
    root = write_folder(tmp_path, pairs=1)
    for full, right, wrong, key, _ in EVERY:
        (root / "benchmark.toml").write_text(full.replace(right, wrong, 1))
        with pytest.raises(CommandError, match=r"^benchmark\.toml, line \d+: ") as mistake:
            call_command("import_benchmark", str(root))
        assert mistake.value.returncode == 2, key
    assert not BenchmarkFile.objects.exists()
    assert not Pack.objects.exists()


def wrong_values(own):
    """Values that a key with this schema can't have."""
    yield None
    yield from ("" for limit in ("minLength",) if limit in own)
    yield from ("?!" for limit in ("enum", "pattern") if limit in own)
    yield from ([] for limit in ("minItems",) if limit in own)
    yield from (own[limit] + more for limit, more in (("minimum", -1), ("maximum", 1)) if limit in own)


def spoilt(names, value):
    """The data with this value at a key, and the key's path; tables on the way to it are made where there are none."""
    data, path, of = tomllib.loads(further_keys.TEXT), (), schema()
    place = data
    for name in names[:-1]:
        of, path = of["properties"][name], (*path, name)
        place = place.setdefault(name, [{}] if "items" in of else {})
        if isinstance(place, list):
            number = next(number for number, one in enumerate(place) if isinstance(one, dict))
            place, path, of = place[number], (*path, number), of["items"]
    place[names[-1]] = value
    return data, (*path, names[-1])


def test_a_wrong_value_of_any_key_of_the_schema_is_named():
    missed, lines = [], read_toml(further_keys.TEXT).lines
    for names, own in keys_of(schema()):
        for value in wrong_values(own):
            data, path = spoilt(names, value)
            toml = TomlText(data, lines)
            place = toml.line(path), key_of(path)
            told = [one.what for one in mistakes_of_form(toml) if (one.line, one.key) == place]
            if not any(all(allowed in what for allowed in map(str, own.get("enum", ()))) for what in told):
                missed.append((names, value))
    assert missed == []


def test_all_mistakes_are_told_at_once_and_the_right_file_has_none():
    text = FULL.replace('rule = "all"', 'rule = "some"').replace("size = 2", "size = 1")
    assert [one.key for one in mistakes(text)] == ["groups.rule", "groups.size"]
    assert read_text(FULL, taken=taken_names()).slug == "falling"
    assert read_text(further_keys.TEXT, taken=taken_names()).slug == "towers"


def test_each_key_of_a_table_knows_its_line():
    toml = read_toml(FULL)
    lines = FULL.splitlines()
    assert lines[toml.line(("prompts", 1, "parser")) - 1] == 'parser = "last-answer-line"'
    assert lines[toml.line(("people", "labels", "no")) - 1] == 'no = "It can\'t"'
    assert lines[toml.line(("facets", 1)) - 1] == "[[facets]]"
    assert toml.line(("splits", 0)) == lines.index('splits = ["all", "held-out"]') + 1
    assert toml.data == tomllib.loads(FULL)


def test_the_schema_names_what_the_site_has():
    prompt = schema()["properties"]["prompts"]["items"]["properties"]
    assert {*schema()["$defs"]["parser"]["enum"]} <= PARSERS.keys()
    assert prompt["parser"]["$ref"] == "#/$defs/parser"
    named = {name for slug in BUILT_IN for name in BUILT_IN[slug].protocols}
    assert {*schema()["properties"]["protocols"]["items"]["enum"]} == named
    assert {*schema()["properties"]["items"]["properties"]["layout"]["enum"]} == {*LAYOUTS, *OWN_LAYOUTS}
    assert {*schema()["properties"]["conditions"]["items"]["enum"]} == {*CONDITIONS}
    assert {*schema()["properties"]["groups"]["properties"]["rule"]["enum"]} == RULES.keys()
    assert json.loads(SCHEMA.read_text())["$schema"].endswith("2020-12/schema")


def test_every_key_has_a_sentence_about_it():
    silent = [".".join(path) for path, own in keys_of(schema()) if "description" not in own and "$ref" not in own]
    assert silent == []


@pytest.mark.parametrize("slug", shipped())
def test_a_shipped_file_has_no_mistake(slug):
    assert read_text((SHIPPED / f"{slug}.toml").read_text(), taken=taken_names()).slug == slug


def test_every_key_is_in_the_reference():
    page = (Path(__file__).parents[4] / "docs" / "benchmark-files.md").read_text().partition("## Every key")[2]
    sections = [part.partition("\n") for part in page.split("\n### ")]
    told = {section: keys for title, _, keys in sections for section in re.findall(r"`(.+?)`", title) or [""]}
    keys = [".".join(path).rpartition(".") for path, _ in keys_of(schema())]
    missing = [f"{section}.{key}" for section, _, key in keys if f"`{key}`" not in told.get(section, "")]
    assert missing == []
