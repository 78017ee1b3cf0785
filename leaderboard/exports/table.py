"""A board as a table for export: its figures, its view in words and its provenance."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.packs.caveats import caveats_of
from benchmarks.words import DIMENSIONS, condition_words
from evaluation.runs.pages.number_format import chance_of_as_much
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OF_ALL, BoardCell, BoardRow, Leader, leaders
from leaderboard.board.cell_display import number, percent, score_text, share_text
from leaderboard.board.query import View
from leaderboard.board_analysis import analyses
from leaderboard.exports.provenance import Provenance, of_view
from leaderboard.row_kinds import RowKind
from measures.scores.group_scores import RULES

Value = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A title, heads, rows and notes; numbers are in per cent where their head says %."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    short_heads: tuple[str, ...] = ()  # for print: the heads of `short_rows`
    short_rows: tuple[tuple[str, ...], ...] = ()
    provenance: Provenance | None = None
    panels: tuple[str, ...] = ()  # whose figures each row holds; () = print shows no panels
    caption: tuple[str, ...] = ()  # for LaTeX: what the figures are, in sentences

    @property
    def row_groups(self) -> tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]:
        """The panels of print with their rows, in the order of `PANELS`."""
        panels = self.panels or ("",) * len(self.display_rows)
        rows = list(zip(panels, self.display_rows, strict=True))
        order = [panel for panel in PANELS if panel in panels]
        return tuple((panel, tuple(row for own, row in rows if own == panel)) for panel in order)

    @property
    def ruled(self) -> int:
        """The number of rows above a rule in a spreadsheet: those of the first row's panel, if others follow."""
        return next((place for place, panel in enumerate(self.panels) if panel != self.panels[0]), 0)

    @property
    def print_columns(self) -> tuple[tuple[str, bool], ...]:
        """The heads as print shows them, each with whether its column holds words, not numbers."""
        columns = list(zip(*self.display_rows, strict=True)) or [()] * len(self.display_heads)
        return tuple(
            (head, any(map(_is_word, column)) and not any(map(_is_number, column)))
            for head, column in zip(self.display_heads, columns, strict=True)
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, followed by the provenance."""
        return (*self.notes, *(self.provenance.lines if self.provenance else ()))

    @property
    def display_heads(self) -> tuple[str, ...]:
        return self.short_heads or self.heads

    @property
    def display_rows(self) -> tuple[tuple[str, ...], ...]:
        return self.short_rows or tuple(tuple(text_of(value) for value in row) for row in self.rows)


@dataclass(frozen=True)
class OwnCells:
    """A row of this site for a paper's table: its cells, the numbers of answers behind them, and its kind."""

    cells: tuple[Value, ...]
    counts: Iterable[int]
    kind: RowKind


def with_own_rows(table: Table, own: Sequence[OwnCells]) -> Table:
    """A paper's table with rows of this site below it; each row names its source, own rows also their n."""
    if not own:
        return table
    printed = ((*row, "the paper", None) for row in table.rows)
    ordered = sorted(own, key=lambda one: PANELS.index(panel_of(one.kind)))
    measured = ((*one.cells, "this site", _ends(one.counts)) for one in ordered)
    reported = panel_of(RowKind.PUBLISHED)
    return replace(
        table,
        title=f"{table.title}, with results of this site",
        heads=(*table.heads, "Measured by", "n"),
        rows=(*printed, *measured),
        panels=(*[reported] * len(table.rows), *(panel_of(one.kind) for one in ordered)),
    )


def panel_of(kind: RowKind) -> str:
    """The title of the panel in which print shows rows of this kind."""
    return kind.words.capitalize()


PANELS = ("", *(panel_of(kind) for kind in RowKind))


def _ends(counts: Iterable[int]) -> Value:
    """The number of answers behind a row's figures: one number, or a range."""
    known = sorted(set(counts))
    if not known:
        return None
    return known[0] if len(known) == 1 else f"{known[0]}–{known[-1]}"


def _is_word(text: str) -> bool:
    return any(map(str.isalpha, text))


def _is_number(text: str) -> bool:
    """Whether the text starts with a number, which may have a sign: 50.9 ± 0.6, not Video-LLaMA2."""
    return text.lstrip("-+−≈~<>")[:1].isdigit()


def text_of(value: Value) -> str:
    """A value for print: one decimal, a dash for a missing value."""
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def board_table(board: Board) -> Table:
    """The board as a table: wide for files (a column for every number), short for print."""
    columns = (OF_ALL, *board.columns)
    keys = [column.key for column in columns]
    notes = tuple(notes_of(board))
    return Table(
        title=f"{board.view.benchmark.title}, {sentence_of(board.view)}",
        heads=(
            "Who",
            "Kind",
            "Rank",
            *(head for one in columns for head in _heads(one.title, dimensions_in(board.view))),
            "Evidence",
        ),
        rows=tuple(_wide(board, row, keys) for row in board.rows),
        notes=notes,
        short_heads=("Model or group", *(column.title for column in columns)),
        short_rows=tuple(_short(board, row, keys) for row in board.rows),
        provenance=of_view(board.view, board.rows),
        panels=tuple(panel_of(row.kind) for row in board.rows),
        caption=(notes[0], *_counted(board)),
    )


def _counted(board: Board) -> Iterator[str]:
    """The number of questions behind this site's rows, as a sentence."""
    counts = [row.overall.n for row in board.rows if row.kind.is_ours and row.overall and row.overall.n]
    if counts:
        yield f"n = {_ends(counts)} questions"


def sentence_of(view: View) -> str:
    """The view in words."""
    pack = f", pack: {view.pack.title}" if view.pack else ""
    condition = condition_words(view.condition)
    scored = f", scored: {DIMENSIONS[view.dimension]}" if view.dimension else ""
    level = f"level {view.level.number} {view.level.title}"
    return f"{level}, prompting: {view.strategy.term}, shown: {condition}{pack}{scored}"


def notes_of(board: Board) -> Iterator[str]:
    view = board.view
    if view.level.dimensions:
        yield f"{_scored(view)}, in per cent of the most, with 95 % interval; split {view.split}; no chance level."
    else:
        chance = "differs by column" if board.chance is None else percent(board.chance)
        yield f"{FIGURES[view.columns]}; split {view.split}; chance {chance}."
    yield from caveats_of(view.pack)
    yield from _notes_of_groups(board)
    yield from _notes_of_ranks(board)
    if board.adjusted:
        yield f"p: test against chance, by Holm for all {len(board.adjusted)} cells of the view together."
    if board.of_the_paper:
        clips = "the official clips" if view.benchmark.is_released else "items of its own"
        yield f"Published rows are printed in the paper, on {clips}: no interval and no rank of ours."
        if view.level.printed:
            yield f"Published figures are {view.level.printed}."
    yield from (f"{row.name}: {row.citation}, no interval and no rank of ours." for row in board.of_later_papers)
    if any(row.kind.is_simulated for row in board.rows):
        yield "Simulated people are a program's answers, not people's."


def _notes_of_groups(board: Board) -> Iterator[str]:
    """An explanation of group scores, for boards of benchmarks that have them."""
    groups = board.view.benchmark.groups
    if groups:
        what = "Every figure is of" if board.view.unit == "group" else "By"
        yield (
            f"{what} {groups.title}: a group scores {RULES[groups.rule]}; intervals are clustered by group;"
            f" groups with a question unanswered have no score{_chance_by_group(board)}."
        )


def _chance_by_group(board: Board) -> str:
    chance = next((column.chance for column in board.columns if column.is_by_group), None)
    return "" if chance is None else f"; chance {percent(chance)}"


def _notes_of_ranks(board: Board) -> Iterator[str]:
    if board.are_ranks_tested:
        yield "Ranks: simultaneous 95 % sets, all pairs of rows tested together (Mogstad et al. 2024)."
        if board.untested:
            yield f"{board.untested} of the ranks with rounded figures: by whether 95 % intervals overlap."
    elif any(row.rank for row in board.ranked):
        yield "Ranks: pairwise, by whether 95 % intervals overlap."


def _scored(view: View) -> str:
    if view.dimension:
        return f"Points of a referee: {DIMENSIONS[view.dimension]}"
    return "Points of a referee: the mean of every reply's dimensions"


def dimensions_in(view: View) -> tuple[str, ...]:
    """Dimensions that files show beside a referee's mean; empty if the view shows one dimension."""
    return () if view.dimension else view.level.dimensions


FIGURES = {
    "accuracy": "Accuracy in per cent with 95 % interval",
    "halves": "Accuracy in per cent where the true answer is no / is yes",
    "yes": "How often the answer was yes, in per cent",
    "sensitivity": "d' (0 is chance)",
    "repeats": "How often a reply gave the answer of the example again, in per cent",
    "guessing": "p of the test against chance",
}


def _heads(title: str, dimensions: Iterable[str]) -> tuple[str, ...]:
    names = ("%", "low", "high", "n", "unread %", "p (Holm)", "repeats the example %")
    return tuple(f"{title} {name}" for name in (*names, *(f"{DIMENSIONS[dimension]} %" for dimension in dimensions)))


def _wide(board: Board, row: BoardRow, keys: Iterable[str]) -> tuple[Value, ...]:
    rank = "" if row.rank is None else "–".join(str(end) for end in sorted(set(row.rank)))
    cells = ((row.cell(key), board.adjusted.get((row.key, key))) for key in keys)
    apart = dimensions_in(board.view)
    figures = (value for cell, p in cells for value in _wide_cell(cell, p, apart))
    return (row.full_name, row.kind, rank, *figures, row.tier or None)


def _wide_cell(cell: BoardCell | None, p: float | None, dimensions: tuple[str, ...]) -> tuple[Value, ...]:
    if cell is None:
        return (None,) * (7 + len(dimensions))
    if cell.published_text:
        return (cell.published_text, *(None,) * (6 + len(dimensions)))
    shares = (cell_in_per_cent(cell), in_per_cent(cell.low), in_per_cent(cell.high))
    rounded = None if p is None else float(f"{p:.3g}")
    scored = (in_per_cent(cell.dimensions.get(name, {}).get("score")) for name in dimensions)
    unread = share_text(cell, cell.unread) if cell.range else in_per_cent(cell.unread)
    return (*shares, cell.n, unread, rounded, in_per_cent(cell.repeats), *scored)


def in_per_cent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)


def cell_in_per_cent(cell: BoardCell) -> Value:
    """The score in per cent; a rounded one as the range in which it lies."""
    return score_text(cell) if cell.range else in_per_cent(cell.score)


def _short(board: Board, row: BoardRow, keys: Iterable[str]) -> tuple[str, ...]:
    if board.view.columns == "guessing":
        return (row.full_name, *(chance_of_as_much(board.adjusted.get((row.key, key))) for key in keys))
    return (row.full_name, *(short_text(board.view, row.cell(key)) for key in keys))


def short_text(view: View, cell: BoardCell | None) -> str:
    if cell is None:
        return "–"
    if cell.published_text:
        return cell.published_text
    if view.columns in ("yes", "repeats"):
        share = getattr(cell, view.columns)
        return share_text(cell, share)
    if view.columns == "sensitivity":
        return "–" if cell.d_prime is None else number(cell.d_prime)
    if view.columns == "halves":
        scores = (cell.negative.get("score"), cell.positive.get("score"))
        return " / ".join("–" if half is None else percent(half) for half in scores)
    if cell.score is None:
        return "–"
    ends = "" if cell.low is None or cell.high is None else f" ({100 * cell.low:.0f}–{100 * cell.high:.0f})"
    return score_text(cell) + ends


def board_json(board: Board) -> dict[str, Any]:
    """The board in the API's documented form; shares are 0 to 1."""
    view, leading = board.view, leaders(board.rows)
    return {
        "benchmark": view.benchmark.slug,
        "pack": view.pack.name if view.pack else None,
        "level": view.level.number,
        "split": view.split,
        "group": view.group,
        "strategy": view.strategy.name,
        "condition": view.condition,
        **({"unit": view.unit} if view.benchmark.groups else {}),
        "caution": view.caution,
        **({"dimension": view.dimension or "mean"} if view.level.dimensions else {}),
        "ranks": "simultaneous" if board.are_ranks_tested else "pairwise",
        "sort": view.sort,
        "chance": board.chance,
        "columns": [column.key for column in board.columns],
        "leaders": {"here": _leader_json(leading.here), "reported": _leader_json(leading.reported)},
        "rows": [_row_json(board, row) for row in board.rows],
    }


def _leader_json(leader: Leader | None) -> dict[str, Any] | None:
    """The words, the rows of the same figure, and whether none but the first rank is possible (`stands`)."""
    if leader is None:
        return None
    tied = [row.key for row in leader.tied_with]
    return {"row": leader.row.key, "words": leader.words, "tied": tied, "stands": leader.row.rank == (1, 1)}


def _row_json(board: Board, row: BoardRow) -> dict[str, Any]:
    cells = {column: _cell_json(cell, board.adjusted.get((row.key, column))) for column, cell in row.cells.items()}
    overall = _cell_json(row.overall, board.adjusted.get((row.key, "overall"))) if row.overall else None
    return {
        "key": row.key,
        "name": row.full_name,
        "kind": row.kind,
        "is_baseline": row.is_baseline,
        "tier": row.tier or None,
        "revision": row.revision,
        "note": row.note,
        "cells": cells,
        "overall": overall,
        "rank": list(row.rank) if row.rank else None,
        "against_people": asdict(row.distance) if row.distance else None,
    }


def _cell_json(cell: BoardCell, p: float | None) -> dict[str, Any]:
    plain = {name: getattr(cell, name) for name in ("score", "n", "low", "high", "unread", "chance")}
    if cell.published_text:
        return plain | {"printed": cell.published_text} | ({"mark": cell.note} if cell.note else {})
    if cell.group:
        plain["group"] = {name: value for name, value in cell.group.items() if name != "p"}
    if cell.range:
        plain["range"] = list(cell.range)
    if "incomplete" in cell.facts:
        plain["incomplete"] = cell.facts["incomplete"]
    if cell.p is not None:
        plain |= {"p": cell.p, "p_holm": p}
    plain |= {one.key: cell.facts[one.key] for one in analyses().values() if one.key in cell.facts}
    if cell.repeats is not None:
        plain["repeats"] = cell.repeats
    if cell.dimensions:
        plain["dimensions"] = {
            name: {figure: scored[figure] for figure in ("score", "n", "low", "high")}
            for name, scored in cell.dimensions.items()
        }
    if cell.yes is None:
        return plain
    return plain | {name: getattr(cell, name) for name in ("yes", "d_prime", "criterion", "positive", "negative")}
