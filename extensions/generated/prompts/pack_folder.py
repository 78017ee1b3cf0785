"""Reads the folder of a prompt pack, benchmark.toml and prompts.csv, and names everything that is wrong with it."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.files.contradictions import mistakes_of_scales
from benchmarks.definitions.files.schema import (
    BadDefinition,
    Mistake,
    TomlText,
    key_of,
    mistakes_of_form,
    read_toml,
    schema,
)
from benchmarks.definitions.files.table_text import csv_table, text_of
from benchmarks.definitions.rated_dimensions import dimension_of
from benchmarks.definitions.registry import BUILT_IN
from benchmarks.definitions.release_bounds import LONGEST_FACET, LONGEST_KEY, WORDS, file_within, is_storable
from benchmarks.errors import BadRelease
from benchmarks.packs.benchmark_files import NAME
from benchmarks.policy import LIMITS
from benchmarks.storage.store import sha256_of
from extensions.generated.dimensions import PRESETS

PROMPTS = "prompts.csv"
SCHEMA = Path(__file__).with_name("prompt_pack.schema.json")
NEEDED, OPTIONAL = ("id", "prompt"), ("laws", "first_frame", "reference")
SUFFIXES = {"first_frame": (".png", ".jpg", ".jpeg"), "reference": (".mp4", ".webm", ".mov", ".mkv")}
RESERVED = ("sets", "rounds")  # addresses beside those of boards
LONGEST_JUDGE = 40  # letters of a judge's prompt, SLUG-rate-DIMENSION


@dataclass(frozen=True)
class PromptRow:
    """One prompt, as its line says; paths are below the folder."""

    line: int
    key: str
    text: str
    laws: tuple[str, ...]
    first_frame: str
    reference: str

    @property
    def files(self) -> dict[str, str]:
        """Column -> name of the file in it."""
        return {column: name for column in SUFFIXES if (name := getattr(self, column))}


@dataclass(frozen=True)
class PackFolder:
    """A prompt pack without mistakes."""

    root: Path
    data: Mapping[str, Any]
    rows: tuple[PromptRow, ...]

    @property
    def files(self) -> dict[str, str]:
        """Pictures and clips that its prompts name -> where the first of them does."""
        places = [
            (name, f"{PROMPTS}, line {row.line}, {column}") for row in self.rows for column, name in row.files.items()
        ]
        return dict(reversed(places))

    def path_of(self, name: str) -> Path:
        path = file_within(name, self.root)
        assert path is not None, "a pack without mistakes has its files"
        return path

    @property
    def sha256(self) -> str:
        """Of all that it says, and of its files."""
        hashes = {name: sha256_of(self.path_of(name)) for name in self.files}
        rows = [vars(row) | {"line": 0} for row in self.rows]
        content = json.dumps([self.data, rows, hashes], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


class BadPack(BadRelease):
    """A prompt pack with mistakes: the message has the first, `mistakes` all, as (file and line, what)."""

    def __init__(self, mistakes: Sequence[tuple[str, str]]) -> None:
        more = f" (and {len(mistakes) - 1} more: check_benchmark lists them)" if len(mistakes) > 1 else ""
        super().__init__(f"{': '.join(mistakes[0])}{more}")
        self.mistakes = tuple(mistakes)


def is_prompt_pack(root: Path) -> bool:
    return (root / PROMPTS).is_file()


def read_pack(root: Path) -> PackFolder:
    """The pack in this folder; raises BadPack with every mistake of both files."""
    mistakes, data = _definition(root)
    wrong, rows = _prompts(root, data)
    if mistakes or wrong:
        raise BadPack([*_places(NAME, mistakes), *_places(PROMPTS, wrong)])
    return PackFolder(root, data, tuple(rows))


def notes_of(pack: PackFolder) -> Iterator[tuple[str, str]]:
    """What is allowed and yet worth a look."""
    for text, count in Counter(row.text.casefold() for row in pack.rows).items():
        if count > 1:
            yield PROMPTS, f"{count} prompts have the same words, {text[:60]!r}"
    dimensions = tuple(map(dimension_of, records_of(pack.data)))
    if not dimensions:
        yield NAME, "no dimensions: its clips can be compared in pairs and searched for breaks, but not rated"
    for dimension in dimensions:
        if not any(dimension.applies_to(row.laws) for row in pack.rows):
            yield NAME, f"no prompt has a law of dimension {dimension.name}"


def records_of(data: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The tables [[dimensions]] of the file, or those of its preset."""
    preset = PRESETS.get(data.get("preset", ""))
    return data.get("dimensions") or (preset.records if preset else ())


def _places(file: str, mistakes: Sequence[Mistake]) -> list[tuple[str, str]]:
    ordered = sorted(mistakes, key=lambda mistake: mistake.line)
    return [(f"{file}, line {one.line}{f', {one.key}' if one.key else ''}", one.what) for one in ordered]


def _definition(root: Path) -> tuple[list[Mistake], Mapping[str, Any]]:
    """What is wrong with benchmark.toml, and what can be read of it."""
    if not (root / NAME).is_file():
        return [Mistake(1, "", "there is no such file beside prompts.csv")], {}
    try:
        toml = read_toml(text_of(root / NAME))
    except BadDefinition as broken:
        return broken.mistakes, {}
    except BadRelease as unreadable:
        return [Mistake(1, "", str(unreadable))], {}
    if mistakes := list(mistakes_of_form(toml, _schema())):
        return mistakes, {}
    return list(_contradictions(toml)), toml.data


def _schema() -> dict[str, Any]:
    """The pack's own schema, with the core's for dimensions; they have no levels here, where nobody is asked yet."""
    own: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    dimensions = json.loads(json.dumps(schema()["properties"]["dimensions"]))
    del dimensions["items"]["properties"]["level"]
    return own | {"properties": own["properties"] | {"dimensions": dimensions}}


def _contradictions(toml: TomlText) -> Iterator[Mistake]:
    data = toml.data

    def wrong(what: str, *path: str | int) -> Mistake:
        return Mistake(toml.line(path), key_of(path), what)

    if data["slug"] in (*RESERVED, *BUILT_IN):
        yield wrong(f"{data['slug']!r} is taken", "slug")
    if "preset" in data and data["preset"] not in PRESETS:
        yield wrong(f"{data['preset']!r} is no preset; there is: {', '.join(PRESETS)}", "preset")
    if "preset" in data and "dimensions" in data:
        yield wrong("stands beside [[dimensions]]: one of the two is needed", "preset")
    names = [record["name"] for record in data.get("dimensions", ())]
    for place, record in enumerate(data.get("dimensions", ())):
        at = "dimensions", place
        if names.index(record["name"]) != place:
            yield wrong(f"{record['name']!r} appears twice", *at, "name")
        if len(f"{data['slug']}-rate-{record['name']}") > LONGEST_JUDGE:
            yield wrong(f"is too long beside the slug: judges' prompts are named {data['slug']}-rate-…", *at, "name")
    yield from mistakes_of_scales(toml)


def _prompts(root: Path, data: Mapping[str, Any]) -> tuple[list[Mistake], list[PromptRow]]:
    """What is wrong with prompts.csv, and its rows."""
    table = _PromptTable(root, {law for record in records_of(data) for law in record.get("laws", ())})
    if (root / PROMPTS).stat().st_size > LIMITS["prompts"].most:
        return [Mistake(1, "", f"is larger than {LIMITS['prompts'].words}")], []
    try:
        columns, lines = csv_table(PROMPTS, text_of(root / PROMPTS))
        known = (*NEEDED, *OPTIONAL)
        for name in (name for name in columns if name and name not in known):
            table.wrong(1, name, f"there is no such column; there is: {', '.join(known)}")
        for name in (name for name in NEEDED if name not in columns):
            table.wrong(1, name, "this column is missing")
        if table.mistakes:
            return table.mistakes, []
        rows = [table.row(line, cells) for line, cells in lines]
    except BadDefinition as broken:
        return [*table.mistakes, *broken.mistakes], []
    except BadRelease as unreadable:
        return [Mistake(1, "", str(unreadable))], []
    if not rows:
        table.wrong(1, "", "holds no prompts")
    return table.mistakes, rows


class _PromptTable:
    """Reads lines of prompts.csv and collects their mistakes."""

    def __init__(self, root: Path, laws: Collection[str]) -> None:
        self.root, self.laws, self.mistakes = root, laws, list[Mistake]()
        self.lines: dict[str, tuple[int, str]] = {}  # of keys, whatever their case

    def wrong(self, line: int, column: str, what: str) -> None:
        self.mistakes.append(Mistake(line, column, what))

    def row(self, line: int, cells: Mapping[str, str]) -> PromptRow:
        text = {name: cells.get(name, "").strip() for name in (*NEEDED, *OPTIONAL)}
        for name, value in text.items():
            if not is_storable(value):
                self.wrong(line, name, WORDS)
        self._check_key(line, text["id"])
        if not text["prompt"]:
            self.wrong(line, "prompt", "is empty")
        laws = tuple(dict.fromkeys(law for part in text["laws"].split("|") if (law := part.strip())))
        self._check_laws(line, laws)
        for name, suffixes in SUFFIXES.items():
            self._check_file(line, name, text[name], suffixes)
        return PromptRow(line, text["id"], text["prompt"], laws, text["first_frame"], text["reference"])

    def _check_key(self, line: int, key: str) -> None:
        if not key or len(key) > LONGEST_KEY:
            self.wrong(line, "id", f"needs a name of 1 to {LONGEST_KEY} letters")
            return
        first, spelling = self.lines.setdefault(key.casefold(), (line, key))
        if first != line:
            but = "" if spelling == key else f" as {spelling!r}, which differs in capitals alone"
            self.wrong(line, "id", f"{key!r} stands in line {first} already{but}")

    def _check_laws(self, line: int, laws: Sequence[str]) -> None:
        for law in laws:
            if len(law) > LONGEST_FACET:
                self.wrong(line, "laws", f"a law has at most {LONGEST_FACET} letters")
            elif self.laws and law not in self.laws:
                self.wrong(line, "laws", f"no dimension is about {law!r}; laws are: {', '.join(sorted(self.laws))}")

    def _check_file(self, line: int, column: str, name: str, suffixes: Sequence[str]) -> None:
        if name and Path(name).suffix.lower() not in suffixes:
            self.wrong(line, column, f"{name!r} is none of: {', '.join(suffixes)}")
        elif name and file_within(name, self.root) is None:
            self.wrong(line, column, f"there is no file {name!r} in the folder")
