"""The declaration of a result file's format, and functions that the formats share."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from evaluation.submissions.files.archives import UploadedFile
from evaluation.submissions.files.csv_tables import Cells, cells_of, columns_in
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow, Target


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item that the file may name: its id, its name in problems, and its answer unless hidden."""

    item: str
    name: str
    expected: str | None = None


Names = Mapping[Hashable, NamedItem]


@dataclass(frozen=True)
class ResultFile:
    """One result file of an upload, with its seed and the items that it may answer."""

    part: UploadedFile
    seed: int
    target: Target
    known: Names
    beside: Mapping[str, UploadedFile]  # all files of its folder by name
    notes: list[str] = field(default_factory=list)  # what the report says of all files

    def note(self, what: str) -> None:
        if what not in self.notes:
            self.notes.append(what)


@dataclass(frozen=True)
class NativeFile:
    """One format: `begins` recognises a file by its first characters, `name` by its name among other files."""

    title: str  # "GRASP's results.csv"
    benchmark: str  # "" = any
    name: str  # a regular expression
    begins: Callable[[str], bool]
    known: Callable[[Target], Names]
    rows: Callable[[ResultFile], Iterator[AnswerRow | Problem]]


def first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].removesuffix("\r")


def has_columns(text: str, columns: Collection[str], delimiter: str = ",") -> bool:
    """Whether the first line has exactly these columns, in any order."""
    return sorted(columns_in(first_line(text), delimiter)) == sorted(columns)


def table_in(
    part: UploadedFile, *, delimiter: str = ",", widths: Collection[int] = ()
) -> tuple[list[str], Iterator[Cells | Problem]]:
    """The columns of a table, and its rows."""
    lines = part.lines()
    for line in lines:
        if isinstance(line, Problem):
            raise Unreadable(line.code, line.what, line=line.line)
        if line.text.strip():
            columns = columns_in(line.text, delimiter)
            return columns, cells_of(lines, widths=widths or {len(columns)}, delimiter=delimiter)
    raise Unreadable("empty", "the file holds no line of text")


def unknown(line: int | None, name: str, what: str = "no such item in this pack, split and strategy") -> Problem:
    return Problem("unknown-item", what, line, name)
