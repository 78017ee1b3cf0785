"""Reads a semicolon-separated table with a line per window of a clip: item; window; surprise; time."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evaluation.replies import SURPRISE
from evaluation.submissions.files.archives import NumberedLine
from evaluation.submissions.files.csv_tables import Cells, cells_of, columns_in
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow

WINDOWS = ("item", "window", "surprise")
KNOWN = (*WINDOWS, "time")


@dataclass
class _Clip:
    """The windows read so far for one item, and the number of its first line."""

    item: str
    line: int
    values: list[Any] = field(default_factory=list)
    times: list[Any] = field(default_factory=list)

    def row(self) -> AnswerRow:
        answer = {SURPRISE: self.values, "times": self.times or None}
        return AnswerRow(self.line, self.item, SURPRISE, json.dumps(answer))


def window_rows(first: NumberedLine, rest: Iterator[NumberedLine | Problem]) -> Iterator[AnswerRow | Problem]:
    """Yield a row per item; its windows are consecutive lines numbered from 0 or 1."""
    columns = columns_in(first.text, ";")
    if set(columns) - set(KNOWN) or len(set(columns)) != len(columns):
        raise Unreadable("columns", f"the columns of a table of windows are {'; '.join(KNOWN)}", line=first.number)
    clip: _Clip | None = None
    for row in cells_of(rest, widths={len(columns)}, delimiter=";"):
        if isinstance(row, Problem):
            yield row
            continue
        cells = _named(columns, row)
        if clip is None or cells["item"] != clip.item:
            if clip:
                yield clip.row()
            clip = _Clip(cells["item"], row.line)
        if problem := _added(clip, cells, row.line):
            yield problem
    if clip:
        yield clip.row()


def _named(columns: list[str], row: Cells) -> dict[str, str]:
    return {name: cell.strip() for name, cell in zip(columns, row.cells, strict=True)}


def _added(clip: _Clip, cells: dict[str, str], line: int) -> Problem | None:
    """Add the window to its clip; its number must be the next one."""
    place = len(clip.values)
    if cells["window"] not in (str(place), str(place + 1)):
        return Problem(
            "value", f"window {cells['window'][:20]!r} of {clip.item[:40]}: {place} windows came before", line
        )
    clip.values.append(_number(cells["surprise"]))
    if cells.get("time"):
        clip.times.append(_number(cells["time"]))
    return None


def _number(text: str) -> float | str:
    """The number in this cell; anything else stays text and becomes a problem of its item."""
    try:
        return float(text)
    except ValueError:
        return text
