"""Accuracy against the effort of an answer: tokens and cost of models, seconds of people."""

from collections.abc import Sequence
from math import ceil, floor, log10

from benchmarks.definitions.registry import find_benchmark
from evaluation.models import Run
from evaluation.prompting.presets import thinking_label
from leaderboard.analyses.effort.section import Effort, TimedPart, cost_of
from leaderboard.board.assemble import BoardCell, BoardRow
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace, point_of
from leaderboard.exports.table import Table, Value, cell_in_per_cent


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
            prompting = str(find_benchmark(run.pack.benchmark).strategy(run.strategy).title)
            words = ", ".join(filter(None, [prompting, thinking_label(run.sampling)]))
            name = row.name if len(ways) == 1 else f"{row.name}, {prompting}"
            lines.setdefault(name, []).append(_point(amount, cell, f"{words}: {_short(amount)}"))
            rows.append((row.name, words, round(amount, 4), cell_in_per_cent(cell)))
    traces = [Trace(name, tuple(sorted(points, key=lambda one: one.x))) for name, points in lines.items()]
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
        points = tuple(_point(part.seconds, part.cell, f"{part.seconds:.1f} s") for part in parts)
        of_people = row.kind.is_measured_people
        traces.append(Trace(row.name, points, of_people=of_people, is_simulated=not of_people))
        rows += [(row.name, part.cell.n, round(part.seconds, 2), cell_in_per_cent(part.cell)) for part in parts]
    title, axis = "People: accuracy by time", "Seconds from the first frame to the answer"
    table = Table(title, ("Model or group", "n", "Median seconds", "Accuracy, %"), tuple(rows))
    note = "Answers in four parts of equal size by their time, each at its median; lines are 95 % intervals."
    return _on_powers_of_ten(title, axis, traces, table, note=note) if traces else None
