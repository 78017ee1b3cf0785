"""Reads the folder of a prompt pack, benchmark.toml and prompts.csv, and names everything that is wrong with it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.definitions.files.contradictions import mistakes_of_scales
from benchmarks.definitions.files.schema import BadDefinition, Mistake, key_of, mistakes_of_form, read_toml, schema
from benchmarks.definitions.files.table_text import csv_table, text_of
from benchmarks.definitions.rated_dimensions import RatedDimension, dimension_of, rating_text
from benchmarks.definitions.registry import BUILT_IN
from benchmarks.definitions.release_bounds import LONGEST_FACET, LONGEST_KEY, WORDS, file_within, is_storable
from benchmarks.errors import BadRelease
from benchmarks.packs.benchmark_files import NAME
from benchmarks.policy import LIMITS
from benchmarks.storage.store import sha256_of
from extensions.generated.dimensions import PRESETS
from extensions.generated.question_kinds import rating_prompt
from extensions.generated.rating.pages import BETWEEN

PROMPTS = "prompts.csv"
SCHEMA = Path(__file__).with_name("prompt_pack.schema.json")
NEEDED, OPTIONAL = ("id", "prompt"), ("laws", "first_frame", "reference")
SUFFIXES = {"first_frame": (".png", ".jpg", ".jpeg"), "reference": (".mp4", ".webm", ".mov", ".mkv")}
RESERVED = ("sets", "rounds")  # addresses beside those of boards
LONGEST_ANSWER = 200  # letters of what is stored of a page, such as PC=2 persistence=na
LONGEST_JUDGE = 40  # letters of a judge's prompt, SLUG-rate-DIMENSION


@dataclass(frozen=True)
class PromptRow:
    """One prompt, as its line says: its id, its text, its laws, and files in the folder by column."""

    line: int
    key: str
    text: str
    laws: tuple[str, ...]
    files: Mapping[str, str]


@dataclass(frozen=True)
class PackFolder:
    """A prompt pack without mistakes."""

    root: Path
    data: Mapping[str, Any]
    rows: tuple[PromptRow, ...]

    @property
    def files(self) -> dict[str, tuple[Path, str]]:
        """Name -> path of each picture and clip, and where the last prompt names it."""
        places = ((name, row.line, column) for row in self.rows for column, name in row.files.items())
        found = (
            (name, file_within(name, self.root), f"{PROMPTS}, line {line}, {column}") for name, line, column in places
        )
        return {name: (path, place) for name, path, place in found if path}

    @property
    def sha256(self) -> str:
        """Of all that it says, and of its files."""
        hashes = {name: sha256_of(path) for name, (path, _) in self.files.items()}
        rows = [(row.key, row.text, row.laws, row.files) for row in self.rows]
        return hashlib.sha256(json.dumps([self.data, rows, hashes], sort_keys=True).encode()).hexdigest()


class BadPack(BadRelease):
    """A prompt pack with mistakes: the message has the first, `mistakes` all, as (file and line, what)."""

    def __init__(self, mistakes: Sequence[tuple[str, str]]) -> None:
        more = f" (and {len(mistakes) - 1} more: check_benchmark lists them)" if len(mistakes) > 1 else ""
        super().__init__(f"{': '.join(mistakes[0])}{more}")
        self.mistakes = tuple(mistakes)


def read_pack(root: Path) -> PackFolder:
    """The pack in this folder; raises BadPack with every mistake of both files."""
    data, rows = dict[str, Any](), list[PromptRow]()
    places = [*_placed(NAME, _definition(root, data)), *_placed(PROMPTS, _prompts(root, data, rows))]
    if places:
        raise BadPack(places)
    return PackFolder(root, data, tuple(rows))


def notes_of(pack: PackFolder) -> Iterator[tuple[str, str]]:
    """What is allowed and yet worth a look."""
    for text, count in Counter(row.text.casefold() for row in pack.rows).items():
        if count > 1:
            yield PROMPTS, f"{count} prompts have the same words, {text[:60]!r}"
    laws = {law for row in pack.rows for law in row.laws}
    for record in records_of(pack.data):
        if record.get("laws") and laws.isdisjoint(record["laws"]):
            yield NAME, f"no prompt has a law of dimension {record['name']}"


def records_of(data: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The tables [[dimensions]] of the file, or those of its preset; () asks for pairs and breaks alone."""
    preset = PRESETS.get(data.get("preset", ""))
    return data.get("dimensions") or (preset.records if preset else ())


def _placed(file: str, mistakes: Iterator[Mistake]) -> list[tuple[str, str]]:
    """Places and sentences of a file's mistakes, in the order of its lines."""
    found = list[Mistake]()
    try:
        found.extend(mistakes)
    except BadDefinition as broken:
        found += broken.mistakes
    except BadRelease as unreadable:
        found.append(Mistake(1, "", str(unreadable)))
    found.sort(key=lambda mistake: mistake.line)
    return [(f"{file}, line {one.line}{f', {one.key}' if one.key else ''}", one.what) for one in found]


def _definition(root: Path, data: dict[str, Any]) -> Iterator[Mistake]:
    """Read benchmark.toml into `data`, which stays empty if it does not fit its schema."""
    toml = read_toml(text_of(root / NAME))
    form = json.loads(SCHEMA.read_text(encoding="utf-8"))
    form["properties"]["dimensions"] = json.loads(json.dumps(schema()["properties"]["dimensions"]))
    del form["properties"]["dimensions"]["items"]["properties"]["level"]  # rounds have levels
    if mistakes := list(mistakes_of_form(toml, form)):
        yield from mistakes
        return
    data.update(toml.data)
    yield from mistakes_of_scales(toml)
    for path, what in _contradictions(data):
        yield Mistake(toml.line(path), key_of(path), what)


def _contradictions(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if data["slug"] in (*RESERVED, *BUILT_IN):
        yield ("slug",), f"{data['slug']!r} is taken"
    if data.get("preset", next(iter(PRESETS))) not in PRESETS:
        yield ("preset",), f"{data['preset']!r} is no preset; there is: {', '.join(PRESETS)}"
    if "preset" in data and "dimensions" in data:
        yield ("preset",), "stands beside [[dimensions]]: one of the two is needed"
    names = [record["name"] for record in data.get("dimensions", ())]
    for place, record in enumerate(data.get("dimensions", ())):
        if "{" in f"{record['question']}{record.get('hint', '')}{record['anchors']}":
            yield ("dimensions", place), "holds a { : judges are asked with its words, where braces stand for others"
    for place, name in enumerate(names):
        if names.index(name) != place:
            yield ("dimensions", place, "name"), f"{name!r} appears twice"
        if len(rating_prompt(data["slug"], name)) > LONGEST_JUDGE:
            yield ("dimensions", place, "name"), f"is too long beside the slug: judges are asked {data['slug']}-rate-…"


def _prompts(root: Path, data: Mapping[str, Any], rows: list[PromptRow]) -> Iterator[Mistake]:
    """Read prompts.csv into `rows`."""
    if (root / PROMPTS).stat().st_size > LIMITS["prompts"].most:
        raise BadRelease(f"is larger than {LIMITS['prompts'].words}")
    columns, lines = csv_table(PROMPTS, text_of(root / PROMPTS))
    known = (*NEEDED, *OPTIONAL)
    wrong = [
        Mistake(1, name, f"there is no such column; there is: {', '.join(known)}")
        for name in columns
        if name not in known
    ]
    wrong += [Mistake(1, name, "this column is missing") for name in NEEDED if name not in columns]
    yield from wrong
    sound = [
        record for record in records_of(data) if len(record.get("values", record["anchors"])) == len(record["anchors"])
    ]
    table = _PromptTable(root, tuple(map(dimension_of, sound)))
    for line, cells in lines if not wrong else ():
        text = {name: cells.get(name, "").strip() for name in known}
        laws = tuple(dict.fromkeys(law for part in text["laws"].split("|") if (law := part.strip())))
        files = {name: text[name] for name in SUFFIXES if text[name]}
        rows.append(PromptRow(line, text["id"], text["prompt"], laws, files))
        yield from (Mistake(line, column, what) for column, what in table.wrong(rows[-1]))
    if not (rows or wrong):
        yield Mistake(1, "", "holds no prompts")


@dataclass
class _PromptTable:
    """Says what is wrong with one line of prompts.csv after another."""

    root: Path
    dimensions: Sequence[RatedDimension]
    first: dict[str, PromptRow] = field(default_factory=dict)  # by id, whatever its case

    def wrong(self, row: PromptRow) -> Iterator[tuple[str, str]]:
        """Columns and sentences."""
        if not is_storable("".join((row.key, row.text, *row.laws, *row.files.values()))):
            yield "", WORDS
        if not 0 < len(row.key) <= LONGEST_KEY:
            yield "id", f"needs a name of 1 to {LONGEST_KEY} letters"
        elif (first := self.first.setdefault(row.key.casefold(), row)) is not row:
            but = "" if first.key == row.key else f" as {first.key!r}, which differs in capitals alone"
            yield "id", f"{row.key!r} stands in line {first.line} already{but}"
        if not row.text:
            yield "prompt", "is empty"
        yield from (("laws", what) for what in self._wrong_laws(row.laws))
        for column, name in row.files.items():
            if Path(name).suffix.lower() not in SUFFIXES[column]:
                yield column, f"{name!r} is none of: {', '.join(SUFFIXES[column])}"
            elif file_within(name, self.root) is None:
                yield column, f"there is no file {name!r} in the folder"

    def _wrong_laws(self, laws: Sequence[str]) -> Iterator[str]:
        known = {law for dimension in self.dimensions for law in dimension.laws}
        for law in laws:
            if len(law) > LONGEST_FACET or (known and law not in known):
                there = f"; laws are: {', '.join(sorted(known))}" if known else ""
                yield f"{law[:60]!r} is a law of no dimension{there}"
        for shows_prompt in (False, True):
            page = [one for one in self.dimensions if one.shows_prompt == shows_prompt and one.applies_to(laws)]
            answer = rating_text({one.name: BETWEEN.join([max(one.answers, key=len)] * 3) for one in page})
            if len(answer) > LONGEST_ANSWER:
                yield f"asks {len(page)} dimensions on one page; their names are too long for one answer"
