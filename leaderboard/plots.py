"""Figure 3 of GRASP: average over the Level-2 tests, with the standard deviation over tests, for models and people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from benchmarks.definition import Benchmark
from benchmarks.models import Pack
from leaderboard.address import View, shelf_of, view_of
from leaderboard.board import BoardRow
from leaderboard.provenance import caution_of, of
from leaderboard.rows import board_of
from leaderboard.tables import Table, full_name

FIGURE_3_LEVEL = "2"


def has_figure_3(benchmark: Benchmark) -> bool:
    """The figure is of GRASP's kind: a second level whose tests are grouped by concept."""
    return any(level.number == FIGURE_3_LEVEL and "concept" in level.groups for level in benchmark.levels)


LEFT, RIGHT, TOP, STEP, WIDTH = 200, 60, 34, 34, 720  # the drawing's own units
LONGEST_NAME, LONGEST_ON_PHONE = 27, 16  # letters that fit left of the axis; a phone draws them larger


@dataclass(frozen=True)
class Bar:
    """One answerer: mean over tests and their spread; `mean` is None where the paper prints no number."""

    name: str
    kind: str
    mean: float | None
    deviation: float | None = None
    tests: int = 0
    printed: str = ""
    note: str = ""
    of_people: bool = False


@dataclass(frozen=True)
class Figure:
    title: str
    bars: tuple[Bar, ...]
    not_drawn: tuple[Bar, ...]
    chance: float | None
    view: View


def figure_3(benchmark: Benchmark, pack: Pack | None = None, caution: str = "in", rows: str = "") -> Figure:
    """From the same rows as the board: people first, then models by size, then by name."""
    given = {"level": FIGURE_3_LEVEL, "caution": caution, "rows": rows} | ({"pack": pack.name} if pack else {})
    view = view_of(benchmark, given, shelf_of(benchmark.slug))
    board = board_of(view)
    bars = [bar_of(row, [column.key for column in board.columns]) for row in board.rows]
    drawn = sorted((bar for bar in bars if bar.mean is not None), key=_place)
    return Figure(
        title=f"{benchmark.title} level 2: average over tests",
        bars=tuple(drawn),
        not_drawn=tuple(bar for bar in bars if bar.mean is None),
        chance=board.chance,
        view=view,
    )


def bar_of(row: BoardRow, columns: Sequence[str]) -> Bar:
    """Mean and sample standard deviation over the tests that were answered; the paper doesn't say which of the two."""
    bar = Bar(full_name(row), row.kind, None, note=row.note, of_people=row.of_people or row.kind == "human")
    if row.kind == "published":
        return replace(bar, printed=row.overall.printed if row.overall else "")
    scores = [cell.score for key in columns if (cell := row.cells.get(key)) and cell.score is not None]
    if not scores:
        return bar
    return replace(bar, mean=fmean(scores), deviation=stdev(scores) if len(scores) > 1 else None, tests=len(scores))


def _place(bar: Bar) -> tuple:
    return (not bar.of_people, bar.kind == "simulated", -size_of(bar.name), bar.name.casefold())


def size_of(name: str) -> float:
    """The parameters that a name ends in, "Video-LLaMA 13B" -> 13e9; 0 where it names none."""
    digits, unit = name.rsplit(" ", 1)[-1][:-1], name[-1:]
    scale = {"B": 1e9, "M": 1e6, "K": 1e3}.get(unit)
    return float(digits) * scale if scale and digits.replace(".", "", 1).isdigit() else 0.0


def table_of(figure: Figure) -> Table:
    """The numbers of the figure; what is not printed says so."""
    rows = tuple((bar.name, bar.kind, _per_cent(bar.mean), _per_cent(bar.deviation), bar.tests) for bar in figure.bars)
    printed = tuple((bar.name, bar.kind, bar.printed or None, None, None) for bar in figure.not_drawn)
    notes = (
        "Average over tests, standard deviation (sample) over tests; both answers of a test together.",
        "The paper draws bars for its models and prints no numbers: they are listed, not drawn.",
    )
    view = figure.view
    path = f"/leaderboard/{view.benchmark.slug}/figure-3/?caution={view.caution}"
    made_of = of(view.benchmark, path, pack=view.pack, level=view.level.title, caution=caution_of(view))
    heads = ("Who", "Kind", "Average %", "Deviation %", "Tests")
    return Table(figure.title, heads, rows + printed, notes, provenance=made_of)


def _per_cent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)


@dataclass(frozen=True)
class DrawnBar:
    """A bar in the drawing's units."""

    bar: Bar
    y: float
    middle: float
    end: float
    low: float | None
    high: float | None
    label_x: float
    text: str
    spread: str

    @property
    def short_name(self) -> str:
        """As much of the name as the margin holds; the drawing's words and the table have all of it."""
        return _cut(self.bar.name, LONGEST_NAME)

    @property
    def brief_name(self) -> str:
        return _cut(self.bar.name, LONGEST_ON_PHONE)


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1].rstrip(" ,") + "…"


@dataclass(frozen=True)
class Drawing:
    """A figure in units of its own: the page and the file show the same."""

    width: int
    height: int
    bars: tuple[DrawnBar, ...]
    ticks: tuple[tuple[float, str], ...]
    chance: float | None
    top: int
    bottom: int
    left: int


def drawing_of(figure: Figure) -> Drawing:
    bottom = TOP + STEP * len(figure.bars)
    ticks = tuple((_x(step / 4), f"{25 * step}") for step in range(5))
    chance = None if figure.chance is None else _x(figure.chance)
    bars = tuple(_drawn(bar, number) for number, bar in enumerate(figure.bars))
    return Drawing(WIDTH, bottom + 40, bars, ticks, chance, TOP - 8, bottom, LEFT)


def _drawn(bar: Bar, number: int) -> DrawnBar:
    assert bar.mean is not None
    y, spread = TOP + STEP * number, bar.deviation
    low = None if spread is None else _x(max(0.0, bar.mean - spread))
    high = None if spread is None else _x(min(1.0, bar.mean + spread))
    text, around = f"{100 * bar.mean:.1f}", "" if spread is None else f" ± {100 * spread:.1f}"
    return DrawnBar(bar, y + 6, y + 15, _x(bar.mean), low, high, (high or _x(bar.mean)) + 8, text, around)


def _x(share: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT - 40) * share, 1)


def plotly_json(figure: Figure) -> dict[str, Any]:
    """The same for Plotly; colours are named by role and filled in by the page, light or dark."""
    bars = figure.bars[::-1]
    return {
        "title": figure.title,
        "chance": figure.chance,
        "bars": [
            {
                "name": bar.name,
                "kind": bar.kind,
                "role": role_of(bar),
                "mean": bar.mean,
                "deviation": bar.deviation,
                "tests": bar.tests,
            }
            for bar in bars
        ],
    }


def role_of(bar: Bar) -> str:
    if bar.kind == "simulated":
        return "quiet"
    return "human" if bar.of_people else "model"
