"""Figure 3 of GRASP: mean and standard deviation over the Level-2 tests, for models and people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmarks.definitions.definition import Benchmark
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View, view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.chart import LISTED, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.exports.provenance import caution_of, of
from leaderboard.exports.table import Table, Value, in_per_cent, text_of
from leaderboard.row_kinds import RowKind

FIGURE_3_LEVEL = "2"


def has_figure_3(benchmark: Benchmark) -> bool:
    """Whether the benchmark has this figure: a level 2 whose tests are grouped by concept, as in GRASP."""
    return any(level.number == FIGURE_3_LEVEL and "concept" in level.groups for level in benchmark.levels)


@dataclass(frozen=True)
class AnswererBar:
    """One answerer's mean and deviation over tests; `mean` is None for published rows, which have no numbers."""

    name: str
    kind: RowKind
    mean: float | None
    range: tuple[float, float] | None = None  # in which the mean of rounded tests lies; it has no deviation
    deviation: float | None = None
    tests: int = 0
    published_text: str = ""
    note: str = ""
    of_people: bool = False

    @property
    def average(self) -> Value:
        """The mean in per cent, with one decimal as a text where it is a range."""
        low, high = self.range or (None, None)
        return in_per_cent(self.mean) if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"


@dataclass(frozen=True)
class Figure3:
    title: str
    bars: tuple[AnswererBar, ...]
    missing: tuple[AnswererBar, ...]
    chance: float | None
    view: View


def figure_3(benchmark: Benchmark, **parameters: str) -> Figure3:
    """The figure from the rows of the board with these parameters: people first, then models by size and name."""
    view = view_of(benchmark, {"level": FIGURE_3_LEVEL, **parameters})
    board = board_of(view)
    bars = [bar_of(row, [column.key for column in board.columns]) for row in board.rows if not row.citation]
    ordered = sorted((bar for bar in bars if bar.mean is not None), key=_place)
    return Figure3(
        title=f"{benchmark.title} level 2: average over tests",
        bars=tuple(ordered),
        missing=tuple(bar for bar in bars if bar.mean is None),
        chance=board.chance,
        view=view,
    )


def bar_of(row: BoardRow, columns: Sequence[str]) -> AnswererBar:
    """Mean and sample standard deviation over the answered tests; the paper doesn't say which deviation it uses."""
    bar = AnswererBar(
        row.full_name, row.kind, None, note=row.note, of_people=row.of_people or row.kind.is_measured_people
    )
    if not row.kind.is_ours:
        return replace(bar, published_text=row.overall.published_text if row.overall else "")
    known = [(cell.score, cell.range) for key in columns if (cell := row.cells.get(key)) and cell.score is not None]
    if not known:
        return bar
    scores, bar = [score for score, _ in known], replace(bar, tests=len(known))
    if any(ends for _, ends in known):
        low, high = (fmean(column) for column in zip(*(ends or (score, score) for score, ends in known), strict=True))
        return replace(bar, mean=fmean(scores), range=(low, high))
    return replace(bar, mean=fmean(scores), deviation=stdev(scores) if len(scores) > 1 else None)


def _place(bar: AnswererBar) -> tuple:
    return (not bar.of_people, bar.kind.is_simulated, -size_of(bar.name), bar.name.casefold())


def size_of(name: str) -> float:
    """Number of parameters at the end of a name, "Video-LLaMA 13B" -> 13e9; 0 if there is none."""
    digits, unit = name.rsplit(" ", 1)[-1][:-1], name[-1:]
    scale = {"B": 1e9, "M": 1e6, "K": 1e3}.get(unit)
    return float(digits) * scale if scale and digits.replace(".", "", 1).isdigit() else 0.0


def answer_of(figure: Figure3) -> SafeString:
    """Who has the highest average: no claim about chance, for the line is a deviation over tests and no interval."""
    models = [bar for bar in figure.bars if bar.mean is not None and not (bar.of_people or bar.kind.is_simulated)]
    people = [bar for bar in figure.bars if bar.mean is not None and bar.of_people]
    if not models:
        return SafeString("")
    best = max(bar.mean or 0.0 for bar in models)
    tied = [bar for bar in models if bar.mean == best]
    names = format_html_join(" and ", "<bdi>{}</bdi>", ((bar.name,) for bar in tied))
    end = format_html("; people {} %", text_of(people[0].average)) if people else ""
    return format_html("Highest average: {}, {} %{}.", names, text_of(tied[0].average), end)


def table_of(figure: Figure3) -> Table:
    """The figure's numbers as a table, with the published models that are not drawn."""
    rows = tuple((bar.name, bar.kind, bar.average, in_per_cent(bar.deviation), bar.tests) for bar in figure.bars)
    printed = tuple((bar.name, bar.kind, bar.published_text or None, None, None) for bar in figure.missing)
    notes = (
        "Average over tests, standard deviation (sample) over tests; both answers of a test together.",
        "The paper draws bars for its models and prints no numbers: they are listed, not drawn.",
    )
    view = figure.view
    path = f"/leaderboard/{view.benchmark.slug}/figure-3/?caution={view.caution}"
    made_of = of(view.benchmark, path, pack=view.pack, level=view.level.title, caution=caution_of(view))
    heads = ("Who", "Kind", "Average %", "Deviation %", "Tests")
    return Table(figure.title, heads, rows + printed, notes, provenance=made_of)


def chart_of(figure: Figure3) -> Chart:
    """The figure as a list chart: a mark at the mean, one standard deviation to each side.

    The deviation is over tests and is named as such: "50.0 ± 0.0" would read as certainty.
    """
    return Chart(
        title=figure.title,
        form=LISTED,
        x=Axis("Average over tests, in per cent", 0, 100, PER_CENT, in_per_cent(figure.chance)),
        y=Axis("", -0.5, len(figure.bars) - 0.5, tuple((place, bar.name) for place, bar in enumerate(figure.bars))),
        traces=tuple(_trace(bar, place) for place, bar in enumerate(figure.bars)),
        table=table_of(figure),
    )


def _trace(bar: AnswererBar, place: int) -> Trace:
    assert bar.mean is not None
    mean, value, low, high, aside = 100 * bar.mean, text_of(bar.average), None, None, ""
    ends = bar.range and (100 * bar.range[0], 100 * bar.range[1])
    if bar.deviation is not None:
        low, high, aside = mean - 100 * bar.deviation, mean + 100 * bar.deviation, f" (SD {100 * bar.deviation:.1f})"
    label = f"{value} %{', rounded' if ends else aside}, {bar.tests} tests"
    point = Point(mean, place, label, low, high, ends, value=value, aside=aside)
    return Trace(bar.name, (point,), bar.of_people, bar.kind.is_simulated, bar.kind.is_uploaded)


def json_of(figure: Figure3) -> dict[str, Any]:
    """The figure's numbers as JSON data."""
    bars = [
        {"name": bar.name, "kind": bar.kind, "role": role_of(bar)}
        | {"mean": bar.mean, "range": bar.range, "deviation": bar.deviation, "tests": bar.tests}
        for bar in figure.bars[::-1]
    ]
    return {"title": figure.title, "chance": figure.chance, "bars": bars}


def role_of(bar: AnswererBar) -> str:
    if bar.kind.is_simulated:
        return "quiet"
    return "human" if bar.of_people else "model"
