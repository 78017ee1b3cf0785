"""Checks a benchmark.toml against its JSON Schema; every mistake has its line, its key and what is allowed."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.definitions.release_bounds import WORDS, is_storable
from benchmarks.errors import BenchmarkError

SCHEMA = Path(__file__).with_name("benchmark.schema.json")
KeyPath = tuple[str | int, ...]
TYPES = {
    "string": "a text in quotes",
    "array": "a list in [ ]",
    "object": "a table",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}
HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"""^\s*("[^"]+"|'[^']+'|[\w-]+)((?:\s*\.\s*[\w-]+)*)\s*=""")
AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
LONG = ('"""', "'''")


@dataclass(frozen=True)
class Mistake:
    """One mistake in a file: its line, the key, and what is wrong or allowed."""

    line: int
    key: str
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.key}: {self.what}" if self.key else f"line {self.line}: {self.what}"


class BadDefinition(BenchmarkError):
    """A benchmark.toml has mistakes; the message is the first, `mistakes` holds all."""

    def __init__(self, mistakes: list[Mistake], file: str = "benchmark.toml") -> None:
        more = f" (and {len(mistakes) - 1} more: check_benchmark lists them)" if len(mistakes) > 1 else ""
        super().__init__(f"{file}, {mistakes[0]}{more}")
        self.mistakes, self.file = mistakes, file


@dataclass(frozen=True)
class TomlText:
    """The content of a TOML text, and the lines of its keys and tables."""

    data: dict[str, Any]
    lines: dict[KeyPath, int]

    def line(self, path: KeyPath) -> int:
        """The line of this key, else of the nearest enclosing table; 1 for the whole text."""
        while path and path not in self.lines:
            if (*path, 0) in self.lines:  # a list of tables begins with its first table
                return self.lines[*path, 0]
            path = path[:-1]
        return self.lines.get(path, 1)


def read_toml(text: str) -> TomlText:
    """The text with the lines of its keys, which the standard reader does not report; else raises BadDefinition."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found, lines = AT_LINE.search(str(error)), text.count("\n") + 1
        what = AT_LINE.sub("", str(error)).strip()
        what = f"no TOML: {what[:1].lower()}{what[1:]}"
        raise BadDefinition([Mistake(int(found[1]) if found else lines, "", what)]) from None
    except (ValueError, RecursionError) as error:  # valid TOML which Python can't read; the line is most likely long
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        longest = max(enumerate(text.split("\n"), start=1), key=lambda line: len(line[1]))
        raise BadDefinition([Mistake(longest[0], "", f"no TOML: {what}")]) from None
    return TomlText(data, _lines(text))


def _lines(text: str) -> dict[KeyPath, int]:
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    closing, array = "", _OpenArray()
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if array.takes(line):
            found.setdefault(array.element, number)
            continue
        if header := HEADER.match(line):
            table = _table(header[2], counts, is_array=header[1] == "[[")
            found.setdefault(table, number)
        elif key := KEY.match(line):
            names = [key[1].strip("\"'"), *re.findall(r"[\w-]+", key[2])]
            found.setdefault((*table, *names), number)
            array = _OpenArray((*table, *names), is_open=line.rstrip().endswith("= ["))
        closing = next((mark for mark in LONG if line.count(mark) % 2), "")
    return found


@dataclass
class _OpenArray:
    """A list with its elements on lines of their own."""

    path: KeyPath = ()
    is_open: bool = False
    count: int = 0

    def takes(self, line: str) -> bool:
        """Whether this line is an element."""
        if not self.is_open or line.lstrip().startswith("]"):
            self.is_open = False
            return False
        self.count += line.strip() != "" and not line.lstrip().startswith("#")
        return True

    @property
    def element(self) -> KeyPath:
        return (*self.path, max(0, self.count - 1))


def _table(name: str, counts: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    """The path of a table's header; an element of an array of tables ends in its number."""
    path: KeyPath = ()
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    for place, part in enumerate(parts):
        path = (*path, part)
        if place == len(parts) - 1 and is_array:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


@cache
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return loaded


def checked(text: str) -> TomlText:
    """The text as TOML that fits the schema; else raises BadDefinition."""
    toml = read_toml(text)
    if found := sorted(mistakes_of_form(toml), key=lambda one: one.line):
        raise BadDefinition(found)
    return toml


def mistakes_of_form(toml: TomlText, form: dict[str, Any] | None = None) -> Iterator[Mistake]:
    """Wrong types and values, unknown and missing keys; `form` is another schema than that of benchmarks."""
    from jsonschema import Draft202012Validator

    for path, value in texts_in(toml.data):
        if not is_storable(value):
            yield Mistake(toml.line(path), key_of(path), WORDS)
    for error in Draft202012Validator(form or schema()).iter_errors(toml.data):
        path = tuple(error.absolute_path)
        if error.validator == "required":
            for name in error.validator_value:
                if name not in error.instance:
                    about = _about(error.schema, name)
                    yield Mistake(toml.line(path), key_of((*path, name)), f"is missing. {about}".strip())
        elif error.validator == "additionalProperties" and error.schema.get("additionalProperties") is False:
            known = error.schema["properties"]
            for name in error.instance.keys() - known.keys():
                what = f"there is no such key; there is: {', '.join(known)}"
                yield Mistake(toml.line((*path, name)), key_of((*path, name)), what)
        else:
            yield Mistake(toml.line(path), key_of(path), _allowed(error))


def texts_in(data: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Every text of the file, with its key."""
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict | list):
        for name, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from texts_in(value, (*path, name))


def key_of(path: KeyPath) -> str:
    """`prompts[2].parser` for the second prompt's parser: numbers start at 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def _types(limit: str | list[str]) -> str:
    return " or ".join(TYPES[name] for name in ([limit] if isinstance(limit, str) else limit))


def keys_in(data: Any, of: dict[str, Any], path: KeyPath = ()) -> Iterator[tuple[KeyPath, dict[str, Any]]]:
    """Every key of the schema that occurs in the data, with its own schema."""
    if isinstance(data, dict):
        for name in data.keys() & of.get("properties", {}).keys():
            own = of["properties"][name]
            yield (*path, name), own
            yield from keys_in(data[name], own, (*path, name))
    elif isinstance(data, list):
        for place, one in enumerate(data):
            yield from keys_in(one, of.get("items", {}), (*path, place))


def _about(of: dict[str, Any], name: str) -> str:
    about: str = of.get("properties", {}).get(name, {}).get("description", "")
    return about


def _allowed(error: Any) -> str:
    """A sentence with the found value and the allowed values."""
    value, about = json.dumps(error.instance, ensure_ascii=False, default=str)[:60], error.schema.get("description", "")
    limit = error.validator_value
    messages = {
        "type": lambda: f"{value} is not {_types(limit)}",
        "enum": lambda: f"{value} is not allowed; there is: {', '.join(map(str, limit))}",
        "const": lambda: f"{value} is not allowed; write {limit}",
        "pattern": lambda: f"{value} is not allowed; it must fit {limit}",
        "minimum": lambda: f"{value} is too small; at least {limit}",
        "maximum": lambda: f"{value} is too large; at most {limit}",
        "minLength": lambda: f"{value} is too short; at least {limit} letter{'s' * (limit > 1)}",
        "maxLength": lambda: f"the text is too long; at most {limit} letters",
        "minItems": lambda: f"the list is too short; at least {limit}",
        "maxItems": lambda: f"the list is too long; at most {limit}",
        "uniqueItems": lambda: "the same value appears twice",
        "minProperties": lambda: f"needs at least {limit} key",
    }.get(error.validator, lambda: error.message)()
    return f"{messages}. {about}" if about else messages
