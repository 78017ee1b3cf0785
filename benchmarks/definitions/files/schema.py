"""Checks a benchmark.toml against its JSON Schema; every mistake has its line, its key and what is allowed."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.definitions.files.toml_lines import BadToml, TomlText, read_toml
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


@cache
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return loaded


def checked(text: str) -> TomlText:
    """The text as TOML that fits the schema; else raises BadDefinition."""
    try:
        toml = read_toml(text)
    except BadToml as error:
        raise BadDefinition([Mistake(error.line, "", str(error))]) from None
    if found := sorted(mistakes_of_form(toml), key=lambda one: one.line):
        raise BadDefinition(found)
    return toml


def mistakes_of_form(toml: TomlText) -> Iterator[Mistake]:
    """Wrong types and values, unknown and missing keys."""
    from jsonschema import Draft202012Validator

    for path, value in texts_in(toml.data):
        if not is_storable(value):
            yield Mistake(toml.line(path), key_of(path), WORDS)
    for error in Draft202012Validator(schema()).iter_errors(toml.data):
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
