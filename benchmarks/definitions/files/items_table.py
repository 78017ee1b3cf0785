"""Reads the table of questions of a benchmark that is a file: CSV or JSON Lines, one question per row."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.files.compile import BenchmarkText, ItemKind
from benchmarks.definitions.files.schema import BadDefinition, Mistake, read_toml
from benchmarks.definitions.files.table_text import csv_table, json_rows, text_of
from benchmarks.definitions.release_bounds import LONGEST_FACET, LONGEST_KEY, WORDS, file_within, is_storable, is_within
from benchmarks.errors import BadRelease
from measures.scores.group_scores import RULES
from measures.scores.moment_answers import NOTHING_WRONG, moment_in
from measures.scores.number_answers import range_of

NEEDED = ("id", "question", "answer")
CLIP_TYPES = (".mp4", ".webm", ".mov", ".mkv", ".avi", ".m4v")
SEPARATOR = "|"
MISTAKES = 1000  # reading stops after so many; a table may have a million rows or columns
ANSWER_KINDS = {"choice": "label", "break": "rating"}  # where they are stored under another name
LONGEST_ANSWER = 200  # letters of a free answer, or of an option that is the answer
# The allowed content of the column answer for these kinds of answer.
NUMERIC = {
    "number": "a number, or a range such as 2.5..3.1",
    "moment": "seconds of the clip, a range of them such as 2.5..3.1, or nothing",
}


@dataclass
class QuestionTable:
    """Reads rows and collects their mistakes."""

    own: BenchmarkText
    clips: Path
    mistakes: list[Mistake] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    places: dict[tuple[str, str], int] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)

    def wrong(self, line: int, column: str, what: str) -> None:
        self.mistakes.append(Mistake(line, column, what))

    def row(self, line: int, cells: Mapping[str, str | list[str]]) -> ItemRow | None:
        """The question of a row; None if it has a mistake."""
        before = len(self.mistakes)
        text = {name: value if isinstance(value, str) else SEPARATOR.join(value) for name, value in cells.items()}
        for name, value in text.items():
            if not is_storable(value):
                self.wrong(line, name, WORDS)
        kind = self._kind(line, text)
        if kind is None:
            return None
        options = kind.options or tuple(_parts(text.get("options", "")))
        splits = self._splits(line, text)
        row = ItemRow(
            key=self._key(line, text),
            kind=kind.name,
            text=with_letters(self._question(line, text, kind), options if kind.answer == "choice" else ()),
            answer_kind=ANSWER_KINDS.get(kind.answer, kind.answer),
            options=letters(options) if kind.answer == "choice" else options,
            expected=self._answer(line, text, kind, options, splits),
            lead_in=text.get("lead_in", "").strip(),
            **self._uses(line, text),
            facets=self._facets(line, text, kind),
            splits=splits,
            **self._group(line, text),
        )
        return row if len(self.mistakes) == before else None

    def _kind(self, line: int, text: Mapping[str, str]) -> ItemKind | None:
        kinds = self.own.kinds
        name = text.get("kind", "").strip() or (next(iter(kinds)) if len(kinds) == 1 else "")
        if name not in kinds:
            self.wrong(line, "kind", f"there is no kind {name!r}; there is: {', '.join(kinds)}")
            return None
        return kinds[name]

    def _key(self, line: int, text: Mapping[str, str]) -> str:
        key = text.get("id", "").strip()
        if not key or len(key) > LONGEST_KEY:
            self.wrong(line, "id", f"needs a name of 1 to {LONGEST_KEY} letters")
        elif key in self.seen:
            self.wrong(line, "id", f"{key!r} stands in line {self.seen[key]} already")
        self.seen.setdefault(key, line)
        return key

    def _question(self, line: int, text: Mapping[str, str], kind: ItemKind) -> str:
        """The question of the row, or the one that all of its kind ask."""
        question = text.get("question", "").strip()
        if not question and not kind.question:
            self.wrong(line, "question", "is empty")
        if question and kind.question and question != kind.question:
            self.wrong(line, "question", f"all of kind {kind.name} ask {kind.question!r}: leave it out")
        return question or kind.question

    def _answer(
        self, line: int, text: Mapping[str, str], kind: ItemKind, options: tuple[str, ...], splits: tuple[str, ...]
    ) -> str | None:
        answer = text.get("answer", "").strip()
        if kind.is_rated:
            if answer:
                self.wrong(line, "answer", f"raters answer questions of kind {kind.name}: leave it empty")
            return None
        if len(answer) > LONGEST_ANSWER and kind.answer != "choice":  # of which the letter is kept
            self.wrong(line, "answer", f"has {len(answer)} letters, at most {LONGEST_ANSWER} are kept")
            return None
        if kind.answer == "free":
            return answer or None
        if kind.answer in NUMERIC:
            return self._number(line, answer, kind, splits)
        if len(options) < 2:
            self.wrong(line, "options", f"{kind.name} needs at least two options, with {SEPARATOR} between them")
            return None
        if len(options) > 26 or len({option.casefold() for option in options}) < len(options):
            self.wrong(line, "options", "at most 26 options, all different")
        if not answer and set(splits) & self.own.may_lack_answers:
            return None
        by_letter = dict(zip(letters(options), letters(options), strict=False)) if kind.answer == "choice" else {}
        by_text = {o.casefold(): letter for o, letter in zip(options, letters(options), strict=False)}
        known = by_text | by_letter if kind.answer == "choice" else {option.casefold(): option for option in options}
        if answer.casefold() not in known:
            there = ", ".join((*by_letter, *options) if by_letter else options)
            self.wrong(line, "answer", f"{answer[:60]!r} is no answer; there is: {there}")
            return None
        return known[answer.casefold()]

    def _number(self, line: int, written: str, kind: ItemKind, splits: tuple[str, ...]) -> str | None:
        found = stored_answer(written, kind.answer)
        if found is None and (written or not set(splits) & self.own.may_lack_answers):
            self.wrong(line, "answer", f"{written[:60]!r} is no answer; there is: {NUMERIC[kind.answer]}")
        return found

    def _uses(self, line: int, text: Mapping[str, str]) -> dict[str, Any]:
        names = _parts(text.get("clip", ""))
        for name in names:
            path = self.files.get(name) or file_within(name, self.clips)
            if Path(name).suffix.lower() not in CLIP_TYPES:
                self.wrong(line, "clip", f"{name!r} is no video; allowed: {', '.join(CLIP_TYPES)}")
            elif len(name) > LONGEST_KEY:
                self.wrong(line, "clip", f"{name[:40]!r}…: the name of a clip has at most {LONGEST_KEY} letters")
            elif path is None:
                self.wrong(line, "clip", f"there is no file {name!r} in {self.clips.name}/")
            else:
                self.files[name] = path
        if len(names) < 2:
            return {"clip": names[0] if names else None}
        return {"clips": tuple(ClipUse(name, "clip", place) for place, name in enumerate(names))}

    def _facets(self, line: int, text: Mapping[str, str], kind: ItemKind) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {"level": self._levels(line, text, kind)}
        declared = {
            one["name"]: one for one in self.own.data.get("facets", ()) if one["name"] not in ("level", "split")
        }
        if "test" not in declared:
            found["test"] = (kind.name,)
        for name, one in declared.items():
            values = tuple(dict.fromkeys(_parts(text.get(name, ""))))
            known = [value if isinstance(value, str) else value["value"] for value in one.get("values", ())]
            for value in values:
                if known and value not in known:
                    self.wrong(line, name, f"{value!r} is no value of it; there is: {', '.join(known)}")
                elif len(value) > LONGEST_FACET:
                    self.wrong(line, name, f"a value has at most {LONGEST_FACET} letters")
            found |= {name: values} if values else {}
        return found

    def _levels(self, line: int, text: Mapping[str, str], kind: ItemKind) -> tuple[str, ...]:
        """The level of the question; one that is rated has that of each dimension it asks about."""
        written = text.get("level", "").strip()
        names = _parts(written) if kind.is_rated else [written]
        levels = (kind.only_level,) if kind.only_level else tuple(dict.fromkeys(names)) or ("",)
        for name in levels:
            if name not in kind.levels:
                there = ", ".join(kind.levels)
                self.wrong(line, "level", f"{name!r} is no level of kind {kind.name}; there is: {there}")
        return levels

    def _splits(self, line: int, text: Mapping[str, str]) -> tuple[str, ...]:
        known = self.own.splits
        names = _parts(text.get("split", ""))
        for name in names:
            if name not in known:
                self.wrong(line, "split", f"there is no split {name!r}; there is: {', '.join(known)}")
        whole = ["all"] if "all" in known else [] if names else [known[0]]
        return tuple(dict.fromkeys((*whole, *names)))

    def _group(self, line: int, text: Mapping[str, str]) -> dict[str, Any]:
        group, place, rule = (text.get(name, "").strip() for name in ("group", "place", "rule"))
        if not group:
            return {}
        if "groups" not in self.own.data:
            self.wrong(line, "group", "benchmark.toml has no [groups], which say how groups are scored")
        if not place.isascii() or not place.isdigit() or len(place) > 3 or not 1 <= int(place) <= 100:
            self.wrong(line, "place", f"{place!r} is no place in a group: a whole number from 1 to 100")
            return {}
        if (first := self.places.setdefault((group, place), line)) != line:
            self.wrong(line, "place", f"place {place} of group {group!r} stands in line {first} already")
        if rule and rule not in RULES:
            self.wrong(line, "rule", f"there is no rule {rule!r}; there is: {', '.join(RULES)}")
        if len(group) > LONGEST_KEY:
            self.wrong(line, "group", f"needs a name of at most {LONGEST_KEY} letters")
        return {"group": group, "place": int(place), "rule": rule}

    def check_groups(self) -> None:
        """Report groups of a single question; only the check reports a group with fewer than `groups.size`."""
        if self.own.data.get("groups", {}).get("size", 0) > 1:
            return
        members: dict[str, list[int]] = defaultdict(list)
        for (group, _place), line in self.places.items():
            members[group].append(line)
        for group, (line, *others) in members.items():
            if not others:
                self.wrong(line, "group", f"{group!r} has this question alone: a group needs two or more")


def stored_answer(text: str, answer_kind: str) -> str | None:
    """The number, moment or range that a table gives as the right answer; None for anything else."""
    found = range_of(text)
    if answer_kind == "number":
        return found
    ends = found.split("..") if found else []
    return NOTHING_WRONG if text.strip().casefold() == NOTHING_WRONG else found if all(map(moment_in, ends)) else None


def letters(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(chr(ord("a") + place) for place in range(len(options)))


def with_letters(question: str, options: tuple[str, ...]) -> str:
    """The question, followed by each option on its own line after its letter."""
    pairs = zip(letters(options), options, strict=True)
    return "\n".join((question, *(f"({letter.upper()}) {option}" for letter, option in pairs)))


def _parts(text: str) -> list[str]:
    return [part for one in text.split(SEPARATOR) if (part := one.strip())]


def read_table(own: BenchmarkText, root: Path) -> Release:
    """The release in this folder; raises BadDefinition with line and column of every mistake in the table."""
    section = own.data.get("items", {})
    path, clips = root / section.get("file", "items.csv"), root / section.get("clips", "clips")
    _refuse_outside(own, root)
    if not path.is_file():
        raise BadRelease(f"{path}: there is no such file; it holds the questions")
    table = QuestionTable(own, clips)
    rows = []
    for line, cells in _lines(path, own):
        if row := table.row(line, cells):
            rows.append(row)
        elif len(table.mistakes) >= MISTAKES:
            raise BadDefinition(
                [*table.mistakes, Mistake(line, "", "is the last line read: so many mistakes")], path.name
            )
    table.check_groups()
    if table.mistakes:
        raise BadDefinition(table.mistakes, path.name)
    if not rows:
        raise BadRelease(f"{path.name} holds no questions")
    files = tuple(ClipFile(name, file) for name, file in sorted(table.files.items()))
    return Release(files, tuple(rows), gaps=tuple(_unused(table, clips)), texts=(path,), root=root)


def _refuse_outside(own: BenchmarkText, root: Path) -> None:
    """Raise BadDefinition with the lines of the keys that lead out of the folder."""
    keys = [key for key in ("file", "clips") if not is_within(root / own.data.get("items", {}).get(key, ""), root)]
    if keys:
        toml = read_toml(own.text)
        what = "leads out of the folder of benchmark.toml: name what lies in it"
        raise BadDefinition([Mistake(toml.line(("items", key)), f"items.{key}", what) for key in keys])


def _unused(table: QuestionTable, clips: Path) -> Iterator[tuple[str, str]]:
    present = (path for path in sorted(clips.rglob("*")) if path.suffix.lower() in CLIP_TYPES) if clips.is_dir() else ()
    used = set(table.files.values())
    for path in present:
        if path not in used:
            yield path.relative_to(clips).as_posix(), "no question is about it"


def _lines(path: Path, own: BenchmarkText) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix == ".parquet":
        yield from _of_parquet(path, own)
        return
    text = text_of(path)
    if path.suffix == ".csv":
        columns, rows = csv_table(path.name, text)
        _check_columns(path.name, 1, columns, own)
        yield from rows
        return
    for line, row in json_rows(path.name, text):
        _check_columns(path.name, line, list(row), own)
        yield line, {key: _plain(path.name, line, key, value) for key, value in row.items()}


def _of_parquet(path: Path, own: BenchmarkText) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a Parquet file, counted from 1."""
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise BadRelease(f"{path.name}: is no Parquet file ({str(error).splitlines()[0][:120]})") from None
    _check_columns(path.name, 1, table.column_names, own)
    for number, row in enumerate(table.to_pylist(), start=1):
        yield number, {key: _plain(path.name, number, key, value) for key, value in row.items()}


def _plain(name: str, line: int, key: str, value: Any) -> str | list[str]:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value != value:  # NaN is what pandas writes for an empty cell
        return ""
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return [str(one) for one in value]
    if isinstance(value, str | int | float):
        return str(value)
    raise BadDefinition([Mistake(line, key, "a text, a number or a list of texts is needed")], name)


def _check_columns(name: str, line: int, columns: list[str], own: BenchmarkText) -> None:
    known = own.columns
    wrong = [
        Mistake(line, column, f"there is no such column; there is: {', '.join(known)}")
        for column in columns
        if column not in known
    ]
    is_fixed = all(kind.question for kind in own.kinds.values())
    is_rated = all(kind.is_rated for kind in own.kinds.values())
    spared = {"question": is_fixed, "answer": is_rated}
    needed = [column for column in NEEDED if not spared.get(column)]
    missing = [Mistake(line, column, "this column is missing") for column in needed if column not in columns]
    if found := wrong + missing:
        raise BadDefinition(found[:MISTAKES], name)
