"""Accuracy against the tokens, cost and time of an answer."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, log10
from statistics import median
from typing import Any

from django.db.models import Avg, Count

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, with_expected
from benchmarks.models import Item
from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import ModelResponse, Run
from evaluation.prompting.presets import thinking_label
from evaluation.runs.results import stored_share
from humantrials.results.judgments import JudgmentRow, judgments
from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.query import View, view_of
from leaderboard.board.rows import board_cell, rows_of_standings, standings_of
from leaderboard.board_analysis import BoardAnalysis, BoardLink
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace, point_of
from leaderboard.comparison.answers import between_models, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, per_cent, rows_of_level
from leaderboard.exports.table import Table, Value, cell_in_per_cent, in_per_cent
from leaderboard.models import Standing
from leaderboard.standings.stored_cells import UnstoredStanding
from measures.estimate import figure_of_answers
from measures.scores.parsed_answers import CUT_IN_THOUGHT
from measures.scores.scoring import exact_match

EFFORT = "effort"  # of a stored overall cell


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    if found := effort_of(run):
        for row in rows:
            row.overall[EFFORT] = found


def effort_of(run: Run) -> dict[str, Any] | None:
    """Mean input and output tokens of an answer, with thoughts; None if they were not counted."""
    counted = ModelResponse.objects.filter(cell__run=run, tokens_out__isnull=False)
    found = counted.aggregate(n=Count("pk"), tokens_in=Avg("tokens_in"), tokens_out=Avg("tokens_out"))
    if not found["n"]:
        return None
    return {name: None if value is None else round(value, 2) for name, value in found.items()}


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


def effort_section(view: View) -> ReportSection:
    """A line for each row of the level, with charts of models by tokens and cost and of people by time."""
    found = efforts(view)
    charts = (tokens_chart(found), cost_chart(found), people_chart(people_by_time(view)))
    lines = [
        ReportLine(row, (_prompting(run), thinking_label(run.sampling) or "as set up"), _line(run, figures, cell))
        for row, run, figures, cell in found
    ]
    return ReportSection(
        badge="effort",
        title="Accuracy and effort",
        heads=(
            *("Prompting", "Thinking"),
            *("n", "Accuracy, %", "low", "high", "Tokens read", "Tokens written"),
            *("Cost of 1,000 answers", "Thoughts cut off, %"),
        ),
        lines=lines,
        answer=between_models(scored(lines, (5, 5, 5)), "Tokens written for an answer", ""),
        note=(
            "Tokens: the mean for one answer with all turns, thoughts included, as the model's own tokenizer or its"
            " server counts them; tokenizers differ. Cost: by the prices of the model's options, in their currency."
        ),
        empty="No row of this level has counted tokens.",
        charts=[chart for chart in charts if chart],
    )


def _prompting(run: Run) -> str:
    return str(find_benchmark(run.pack.benchmark).strategy(run.strategy).title)


def _line(run: Run, figures: dict[str, Any], cell: BoardCell) -> tuple[Value, ...]:
    cost, cut = cost_of(run, figures), stored_share(run, CUT_IN_THOUGHT)
    return (
        cell.n,
        cell_in_per_cent(cell),
        *map(in_per_cent, (cell.low, cell.high)),
        *(None if figures[name] is None else round(figures[name], 1) for name in ("tokens_in", "tokens_out")),
        None if cost is None else round(cost, 4),
        *per_cent(cut),
    )


TimedPart = tuple[float, BoardCell]  # people's answers of similar times: their median in seconds, and their figure


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
    return median(row.seconds or 0.0 for row in rows), cell


def tokens_chart(found: Sequence[Effort]) -> Chart | None:
    """Accuracy against tokens written; points of one model and prompting are joined. None without rows."""
    amounts = [(row, run, figures["tokens_out"], cell) for row, run, figures, cell in found]
    return _chart("Accuracy by tokens written", "Tokens written for an answer", amounts)


def cost_chart(found: Sequence[Effort]) -> Chart | None:
    """Accuracy against cost; None where no row has prices."""
    amounts = [(row, run, cost_of(run, figures), cell) for row, run, figures, cell in found]
    return _chart("Accuracy by cost", "Cost of 1,000 answers", amounts)


def _chart(title: str, axis: str, amounts: Sequence[tuple[BoardRow, Run, float | None, BoardCell]]) -> Chart | None:
    lines: dict[str, list[Point]] = {}
    rows: list[tuple[Value, ...]] = []
    ways = {run.strategy for _row, run, amount, _cell in amounts if amount}
    for row, run, amount, cell in amounts:
        if amount:
            prompting = _prompting(run)
            words = ", ".join(filter(None, [prompting, thinking_label(run.sampling)]))
            name = row.name if len(ways) == 1 else f"{row.name}, {prompting}"
            lines.setdefault(name, []).append(_point(amount, cell, f"{words}: {_short(amount)}"))
            rows.append((row.name, words, round(amount, 4), cell_in_per_cent(cell)))
    traces = [Trace(name, tuple(sorted(points, key=lambda point: point.x))) for name, points in lines.items()]
    heads = ("Model or group", "Asked", axis, "Accuracy, %")
    return _on_powers_of_ten(title, axis, traces, Table(title, heads, tuple(rows))) if rows else None


def _point(amount: float, cell: BoardCell, words: str) -> Point:
    return point_of(cell, log10(amount), f"{words},", is_upright=True)


def _short(amount: float) -> str:
    return f"{amount:.3g}" if amount < 1000 else f"{amount:,.0f}"


def _on_powers_of_ten(title: str, axis: str, traces: Sequence[Trace], table: Table, *, note: str = "") -> Chart:
    places = [point.x for trace in traces for point in trace.points]
    low, high = floor(min(places) - 0.05), ceil(max(places) + 0.05)
    ticks = tuple((float(power), f"{10.0**power:,g}") for power in range(low, high + 1))
    return Chart(
        title=title,
        form=FREE,
        x=Axis(axis, low, high, ticks),
        y=Axis("Accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(traces[:MOST]),
        table=table,
        note=note or "Lines are 95 % intervals; rows of one model and prompting, which think more or less, are joined.",
        has_lines=True,
    )


def people_chart(found: Sequence[tuple[BoardRow, Sequence[TimedPart]]]) -> Chart | None:
    """Accuracy of people by the time of their answers; None without timed answers."""
    traces: list[Trace] = []
    rows: list[tuple[Value, ...]] = []
    for row, parts in found:
        points = tuple(_point(seconds, cell, f"{seconds:.1f} s") for seconds, cell in parts)
        of_people = row.kind.is_measured_people
        traces.append(Trace(row.name, points, of_people=of_people, is_simulated=not of_people))
        rows += [(row.name, cell.n, round(seconds, 2), cell_in_per_cent(cell)) for seconds, cell in parts]
    title, axis = "People: accuracy by time", "Seconds from the first frame to the answer"
    table = Table(title, ("Model or group", "n", "Median seconds", "Accuracy, %"), tuple(rows))
    note = "Answers in four parts of equal size by their time, each at its median; lines are 95 % intervals."
    return _on_powers_of_ten(title, axis, traces, table, note=note) if traces else None


ANALYSIS = BoardAnalysis(
    name="effort",
    title="What does an answer take?",
    lede="Accuracy beside the tokens that a model writes, what they cost, and the time that people take.",
    view=view_of,
    section=effort_section,
    key=EFFORT,
    of_run=add_to_run,
    link=BoardLink("Prompting", "Tokens, cost and time", lambda view: view.pack is not None),
)
