"""What a format of result files states, and the parts that the formats share. Every module beside is built on these."""

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass

from evaluation.submissions.headers import Target
from evaluation.submissions.opening import Line, Part
from evaluation.submissions.problems import Problem, Unreadable
from evaluation.submissions.rows import Row
from evaluation.submissions.tables import Cells, cells_of, columns_in


@dataclass(frozen=True, slots=True)
class Known:
    """An item that the file may name: its id, the name to complain under, and its answer where that may be told."""

    item: str
    name: str
    expected: str | None = None


Names = Mapping[Hashable, Known]


@dataclass(frozen=True)
class Answers:
    """One result file of an upload: where it lies, its seed, and what it is about."""

    part: Part
    seed: int
    target: Target
    known: Names
    beside: Mapping[str, Part]  # the other files of its folder by their names


@dataclass(frozen=True)
class NativeFile:
    """One format: `begins` tells it by the first characters, `name` by its place in a folder of other files."""

    title: str  # "GRASP's results.csv"
    benchmark: str
    name: re.Pattern[str]
    begins: Callable[[str], bool]
    known: Callable[[Target], Names]
    rows: Callable[[Answers], Iterator[Row | Problem]]


def first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].removesuffix("\r")


def has_columns(text: str, columns: Collection[str], delimiter: str = ",") -> bool:
    """Whether this begins with these columns, in any order."""
    return sorted(columns_in(first_line(text), delimiter)) == sorted(columns)


def table_in(
    part: Part, *, delimiter: str = ",", widths: Collection[int] = ()
) -> tuple[list[str], Iterator[Cells | Problem]]:
    """The columns, and the rows below them."""
    lines = part.lines()
    for line in lines:
        if isinstance(line, Problem):
            raise Unreadable(line.code, line.what, line=line.line)
        if line.text.strip():
            columns = columns_in(line.text, delimiter)
            return columns, cells_of(lines, widths=widths or {len(columns)}, delimiter=delimiter)
    raise Unreadable("empty", "the file holds no line of text")


def plain_rows(part: Part, *, width: int) -> Iterator[Cells | Problem]:
    """The rows of a table without columns."""
    lines: Iterator[Line | Problem] = part.lines()
    return cells_of(lines, widths={width})


def unknown(line: int | None, name: str, what: str = "no such item in this pack, split and strategy") -> Problem:
    return Problem("unknown-item", what, line, name)
