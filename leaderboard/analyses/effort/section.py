"""The effort of answers beside their accuracy: tokens and cost of models, seconds of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from benchmarks.disclosure import PUBLIC, with_expected
from benchmarks.models import Item
from evaluation.models import Run
from evaluation.prompting.presets import thinking_label
from evaluation.runs.results import stored_share
from humantrials.results.judgments import JudgmentRow, judgments
from leaderboard.analyses.effort.figures import EFFORT
from leaderboard.board.assemble import BoardCell, BoardRow
from leaderboard.board.query import View
from leaderboard.board.rows import board_cell, rows_of_standings, standings_of
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import rows_of_level
from leaderboard.exports.table import Value, cell_in_per_cent, in_per_cent
from leaderboard.models import Standing
from measures.estimate import figure_of_answers
from measures.scores.parsed_answers import CUT_IN_THOUGHT
from measures.scores.scoring import exact_match

PARTS = 4  # of people's answers, by their time
MILLION = 1_000_000
Effort = tuple[BoardRow, Run, dict[str, Any], BoardCell]  # row, run, tokens, cell of the level


def efforts(view: View) -> list[Effort]:
    """The rows of the level whose tokens were counted, by model and tokens written."""
    found = [
        (row, run, figures, cell)
        for row, run, figures in rows_of_level(view, EFFORT)
        if (cell := _cell_of(run, view)) and cell.score is not None
    ]
    return sorted(found, key=lambda one: (one[0].name, one[2]["tokens_out"], one[1].pk))


def _cell_of(run: Run, view: View) -> BoardCell | None:
    standing = Standing.objects.filter(run=run, split=view.split).only("cells").first()
    return board_cell(standing.cells.get("level", {}).get(view.level.number), view) if standing else None


def cost_of(run: Run, figures: dict[str, Any]) -> float | None:
    """Cost of a thousand answers, in the currency of the model's prices; None without prices or token counts."""
    prices = [run.model.options.get(name) for name in ("price_in", "price_out")]
    counts = (figures["tokens_in"], figures["tokens_out"])
    if prices == [None, None] or None in counts:
        return None
    return 1000 * sum((price or 0.0) * count for price, count in zip(prices, counts, strict=True)) / MILLION


def effort_section(found: Sequence[Effort], view: View) -> ReportSection:
    return ReportSection(
        badge="effort",
        title="Accuracy and effort",
        heads=(
            *("Prompting", "Thinking"),
            *("n", "Accuracy, %", "low", "high", "Tokens read", "Tokens written"),
            *("Cost of 1,000 answers", "Thoughts cut off, %"),
        ),
        lines=[
            ReportLine(
                row, (str(view.benchmark.strategy(run.strategy).title), _thinking(run)), _line(run, figures, cell)
            )
            for row, run, figures, cell in found
        ],
        note=(
            "Tokens: the mean for one answer with all turns, thoughts included, as the model's own tokenizer or its"
            " server counts them; tokenizers differ. Cost: by the prices of the model's options, in their currency."
        ),
        empty="No row of this level has counted tokens.",
    )


def _thinking(run: Run) -> str:
    return thinking_label(run.sampling) or "as set up"


def _line(run: Run, figures: dict[str, Any], cell: BoardCell) -> tuple[Value, ...]:
    cost, cut = cost_of(run, figures), stored_share(run, CUT_IN_THOUGHT)
    return (
        cell.n,
        cell_in_per_cent(cell),
        *map(in_per_cent, (cell.low, cell.high)),
        *(None if figures[name] is None else round(figures[name], 1) for name in ("tokens_in", "tokens_out")),
        None if cost is None else round(cost, 4),
        None if cut is None else round(100 * cut, 1),
    )


@dataclass(frozen=True)
class TimedPart:
    """People's answers of similar times: their median in seconds, and their figure."""

    seconds: float
    cell: BoardCell


def people_by_time(view: View) -> list[tuple[BoardRow, list[TimedPart]]]:
    """People's answers in groups of equal size by answer time, for each study of the view that timed them."""
    people = {row.link: row for row in rows_of_standings(view) if row.kind.of_people}
    found = []
    for standing in standings_of(view):
        row = people.get(standing.trial.get_absolute_url()) if standing.trial else None
        if standing.trial is None or row is None:
            continue
        if parts := _parts(list(judgments(standing.trial, standing.condition)), _expected(standing)):
            found.append((row, parts))
    return found


def _expected(standing: Standing) -> dict[int, str | None]:
    """The public answers of the pack; people's answers would reveal those of sealed items."""
    known = with_expected(Item.objects.filter(pack=standing.pack_id).order_by(), to=PUBLIC)
    return dict(known.filter(expected__isnull=False).values_list("pk", "expected"))


def _parts(rows: Sequence[JudgmentRow], expected: dict[int, str | None]) -> list[TimedPart]:
    timed = sorted((row for row in rows if row.seconds and row.item_id in expected), key=lambda row: row.seconds or 0.0)
    if len(timed) < 2 * PARTS:
        return []
    ends = [round(len(timed) * part / PARTS) for part in range(PARTS + 1)]
    return [_part(timed[first:last], expected) for first, last in pairwise(ends)]


def _part(rows: Sequence[JudgmentRow], expected: dict[int, str | None]) -> TimedPart:
    right = [exact_match(row.answer, expected[row.item_id]) for row in rows]
    found = figure_of_answers(right, [row.participant_code for row in rows], [row.item_id for row in rows])
    cell = BoardCell(score=found.score, n=found.n, low=found.interval.low, high=found.interval.high)
    return TimedPart(median(row.seconds or 0.0 for row in rows), cell)
