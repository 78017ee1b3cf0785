"""Reads TOML with the line of each key, which the standard reader does not report."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]
HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"""^\s*("[^"]+"|'[^']+'|[\w-]+)((?:\s*\.\s*[\w-]+)*)\s*=""")
AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
LONG = ('"""', "'''")


class BadToml(ValueError):
    """The text is no valid TOML; `line` says where."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class TomlText:
    """The content of a TOML text, and the lines of its keys and tables."""

    data: dict[str, Any]
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of this key, else of the nearest enclosing table; 1 for the whole text."""
        while path and path not in self.lines:
            if (*path, 0) in self.lines:  # a list of tables begins with its first table
                return self.lines[*path, 0]
            path = path[:-1]
        return self.lines.get(path, 1)


def read_toml(text: str) -> TomlText:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found, lines = AT_LINE.search(str(error)), text.count("\n") + 1
        what = AT_LINE.sub("", str(error)).strip()
        raise BadToml(f"no TOML: {what[:1].lower()}{what[1:]}", int(found[1]) if found else lines) from None
    except (ValueError, RecursionError) as error:  # valid TOML which Python can't read; the line is most likely long
        what = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        longest = max(enumerate(text.split("\n"), start=1), key=lambda line: len(line[1]))
        raise BadToml(f"no TOML: {what}", longest[0]) from None
    return TomlText(data, _lines(text))


def _lines(text: str) -> dict[Path, int]:
    found: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
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

    path: Path = ()
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
    def element(self) -> Path:
        return (*self.path, max(0, self.count - 1))


def _table(name: str, counts: dict[Path, int], *, is_array: bool) -> Path:
    """The path of a table's header; an element of an array of tables ends in its number."""
    path: Path = ()
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    for place, part in enumerate(parts):
        path = (*path, part)
        if place == len(parts) - 1 and is_array:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
