"""A chart as plain data: axes, traces and table. The drawing and the Plotly figure are made from it."""

from dataclasses import dataclass

from leaderboard.board.board_row import BoardCell
from leaderboard.board.cell_display import score_text
from leaderboard.exports.table import Table

MOST = 6  # models in one chart: more are hard to tell apart
ACROSS, UPWARDS, FREE = "across", "upwards", "free"  # categories on the y axis, on the x axis, none
LISTED = "listed"  # one point for each category with its value beside it, no legend
PER_CENT = tuple((25 * step, f"{25 * step}") for step in range(5))


@dataclass(frozen=True)
class Point:
    """One figure: `x` and `y` in the axes' units, or a category's place from 0."""

    x: float
    y: float
    label: str
    low: float | None = None  # ends of the interval, along the value axis
    high: float | None = None
    range: tuple[float, float] | None = None  # along the value axis: a rounded figure lies in it, and has no mark
    count: int = 1  # items at this point
    value: str = ""  # in a list: the text beside the point, and `aside`, its part that phones leave out
    aside: str = ""


def point_of(cell: BoardCell, place: float, words: str = "", *, is_upright: bool = False) -> Point:
    """The cell's figure in per cent on the x axis, upright on y, at this place of the other; `words` come before it."""
    value, ends = 100 * (cell.share or 0.0), cell.range and (100 * cell.range[0], 100 * cell.range[1])
    x, y = (place, value) if is_upright else (value, place)
    figure = cell.published_text if cell.score is None else score_text(cell)
    label = f"{words} {figure} %{', rounded' if ends else ''}".strip()
    low, high = (None if end is None else 100 * end for end in (cell.low, cell.high))
    return Point(x, y, label, low, high, ends)


@dataclass(frozen=True)
class Trace:
    """The points of one answerer; marks are hollow for uploaded answers and reported figures."""

    name: str
    points: tuple[Point, ...]
    of_people: bool = False
    is_simulated: bool = False
    is_hollow: bool = False


@dataclass(frozen=True)
class Axis:
    """Title and range of an axis; ticks as (place, text)."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    guess: float | None = None  # the chance level


@dataclass(frozen=True)
class Chart:
    """A complete chart: `form` says where its categories are, `has_lines` whether a trace's points are joined."""

    title: str
    form: str
    x: Axis
    y: Axis
    traces: tuple[Trace, ...]
    table: Table
    note: str = ""
    has_lines: bool = False
    has_diagonal: bool = False
    has_bars: bool = False  # in a list: bars instead of marks
    has_points: bool = True  # else a joined trace has one at its end alone
    width: int = 680

    @property
    def alt(self) -> str:
        """Text alternative of the chart: each answerer with its figures."""
        return (
            ". ".join(f"{trace.name}: {', '.join(point.label for point in trace.points)}" for trace in self.traces)
            + "."
        )


@dataclass(frozen=True)
class Panels:
    """Several charts as one figure, with a note."""

    title: str
    charts: tuple[Chart, ...]
    note: str = ""

    @property
    def alt(self) -> str:
        """Text alternative of the figure."""
        return " ".join((*(chart.alt for chart in self.charts), self.note))
