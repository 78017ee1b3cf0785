"""A board as a table to take along: what is on screen, with its view and its provenance."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from leaderboard import words
from leaderboard.address import View
from leaderboard.board import Board, BoardRow, Cell
from leaderboard.marks import number, percent
from leaderboard.provenance import Provenance, of_view

Value = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A title, heads, rows and what has to be said with them; numbers are per cent where their head says %."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    short_heads: tuple[str, ...] = ()  # for print: one head a column of `short_rows`
    short_rows: tuple[tuple[str, ...], ...] = ()
    provenance: Provenance | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, and where all of it comes from."""
        return (*self.notes, *(self.provenance.lines if self.provenance else ()))

    @property
    def printed_heads(self) -> tuple[str, ...]:
        return self.short_heads or self.heads

    @property
    def printed_rows(self) -> tuple[tuple[str, ...], ...]:
        return self.short_rows or tuple(tuple(text_of(value) for value in row) for row in self.rows)


def text_of(value: Value) -> str:
    """As print shows it: one decimal, a dash for what is missing."""
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def board_table(board: Board) -> Table:
    """Wide for files (every number in a column of its own), short for print."""
    columns = (("overall", "Overall"), *((column.key, column.title) for column in board.columns))
    return Table(
        title=f"{board.view.benchmark.title}, {sentence_of(board.view)}",
        heads=("Who", "Kind", "Rank", *(head for _, title in columns for head in _heads(title))),
        rows=tuple(_wide(row, [key for key, _ in columns]) for row in board.rows),
        notes=tuple(notes_of(board)),
        short_heads=("Who answered", *(title for _, title in columns)),
        short_rows=tuple(_short(board.view, row, [key for key, _ in columns]) for row in board.rows),
        provenance=of_view(board.view, board.rows),
    )


def sentence_of(view: View) -> str:
    """The view in words."""
    pack = f", clips: {view.pack.title}" if view.pack else ""
    shown = words.CONDITIONS.get(view.condition, view.condition)
    return f"level {view.level.number} {view.level.title}, asked: {view.strategy.paper}, shown: {shown}{pack}"


def notes_of(board: Board) -> Iterator[str]:
    view = board.view
    yield f"Accuracy in per cent with 95 % interval; split {view.split}; chance {chance_text(board.chance)}."
    if board.published:
        yield "Published rows are printed in the paper, on the official clips: no interval and no rank of ours."
        if view.level.printed:
            yield f"Published figures are {view.level.printed}."
    if any(row.kind == "simulated" for row in board.rows):
        yield "Simulated people are a program's answers and no people's."


def chance_text(chance: float | None) -> str:
    return "differs by column" if chance is None else percent(chance)


def _heads(title: str) -> tuple[str, ...]:
    return (f"{title} %", f"{title} low", f"{title} high", f"{title} n", f"{title} unread %")


def _wide(row: BoardRow, keys: Iterable[str]) -> tuple[Value, ...]:
    rank = "" if row.rank is None else "–".join(str(end) for end in sorted(set(row.rank)))
    return (full_name(row), row.kind, rank, *(value for key in keys for value in _wide_cell(row.cell(key))))


def _wide_cell(cell: Cell | None) -> tuple[Value, ...]:
    if cell is None:
        return (None,) * 5
    if cell.printed:
        return (cell.printed, None, None, None, None)
    return (*(in_per_cent(share) for share in (cell.score, cell.low, cell.high)), cell.n, in_per_cent(cell.unread))


def in_per_cent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)


def full_name(row: BoardRow) -> str:
    return f"{row.name} {row.parameters}".strip()


def _short(view: View, row: BoardRow, keys: Iterable[str]) -> tuple[str, ...]:
    return (full_name(row), *(short_text(view, row.cell(key)) for key in keys))


def short_text(view: View, cell: Cell | None) -> str:
    if cell is None:
        return "–"
    if cell.printed:
        return cell.printed
    if view.columns == "yes":
        return "–" if cell.yes is None else percent(cell.yes)
    if view.columns == "sensitivity":
        return "–" if cell.d_prime is None else number(cell.d_prime)
    if view.columns == "halves":
        halves = (cell.negative.get("score"), cell.positive.get("score"))
        return " / ".join("–" if half is None else percent(half) for half in halves)
    if cell.score is None:
        return "–"
    ends = "" if cell.low is None or cell.high is None else f" ({100 * cell.low:.0f}–{100 * cell.high:.0f})"
    return percent(cell.score) + ends


def board_json(board: Board) -> dict[str, Any]:
    """The contract's form; shares between 0 and 1."""
    view = board.view
    return {
        "benchmark": view.benchmark.slug,
        "pack": view.pack.name if view.pack else None,
        "level": view.level.number,
        "split": view.split,
        "group": view.group,
        "strategy": view.strategy.name,
        "condition": view.condition,
        "caution": view.caution,
        "sort": view.sort,
        "chance": board.chance,
        "columns": [column.key for column in board.columns],
        "rows": [_row_json(row) for row in board.rows],
    }


def _row_json(row: BoardRow) -> dict[str, Any]:
    return {
        "key": row.key,
        "name": full_name(row),
        "kind": row.kind,
        "revision": row.revision,
        "note": row.note,
        "cells": {column: _cell_json(cell) for column, cell in row.cells.items()},
        "overall": _cell_json(row.overall) if row.overall else None,
        "rank": list(row.rank) if row.rank else None,
        "against_people": asdict(row.distance) if row.distance else None,
    }


def _cell_json(cell: Cell) -> dict[str, Any]:
    plain = {name: getattr(cell, name) for name in ("score", "n", "low", "high", "unread", "chance")}
    if cell.printed:
        return plain | {"printed": cell.printed} | ({"mark": cell.mark} if cell.mark else {})
    if cell.yes is None:
        return plain
    return plain | {name: getattr(cell, name) for name in ("yes", "d_prime", "criterion", "positive", "negative")}
