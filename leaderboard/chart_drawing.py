"""A chart as shapes in units of their own: the page and the file show the same drawing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from leaderboard.charts import ACROSS, UPWARDS, Axis, Chart, Point, Trace

WIDTH, LEFT, RIGHT, TOP, FOOT = 720, 190, 24, 30, 46
ROW, GAP = 13, 12  # of a category: one answerer's line, and what is between categories
SQUARE, LEGEND = 360, 20  # height of a plot with two axes, and of a line of the legend
# One form and one tone an answerer: the two together are told apart in print and by whoever sees colours otherwise.
MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
    "M-4 -4H4V4H-4Z",
    "M0 -5L5 0L0 5L-5 0Z",
    "M0 -5L5 4H-5Z",
    "M0 5L5 -4H-5Z",
    "M-5 -1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z",
)


@dataclass(frozen=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    look: str


@dataclass(frozen=True)
class Label:
    x: float
    y: float
    text: str
    anchor: str = "start"
    look: str = "small quiet"


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    form: str
    look: str
    title: str


@dataclass(frozen=True)
class Band:
    """People's interval over the whole height of a category: whether a model lies in it is seen at once."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """Bands behind, lines over them, dots before all."""

    width: int
    height: int
    bands: tuple[Band, ...]
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Frame:
    """Where the plot lies, and how values become places."""

    chart: Chart
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * _part(value, self.chart.x), 1)

    def y(self, value: float) -> float:
        part = _part(value, self.chart.y)
        return round(self.top + self.height * (part if self.chart.form == ACROSS else 1 - part), 1)


def _part(value: float, axis: Axis) -> float:
    span = axis.high - axis.low or 1.0
    return min(1.0, max(0.0, (value - axis.low) / span))


def drawing_of(chart: Chart) -> Drawing:
    legend, top = _legend(chart)
    frame = Frame(chart, top + TOP, _height(chart))
    looks = looks_of(chart)
    lines, dots = [*_grid(frame)], []
    for number, trace in enumerate(chart.traces):
        shift = (number - (len(chart.traces) - 1) / 2) * ROW if chart.form == ACROSS else 0.0
        lines += _trace_lines(frame, trace, looks[number][1], shift)
        dots += [_dot(frame, point, trace, looks[number], shift) for point in trace.points]
    labels = (*legend[0], *_axis_labels(frame))
    bands = tuple(_bands(frame)) if chart.form == ACROSS else ()
    return Drawing(WIDTH, round(frame.bottom + FOOT), bands, tuple(lines), labels, (*legend[1], *dots))


def _height(chart: Chart) -> float:
    if chart.form != ACROSS:
        return SQUARE
    return max(1, len(chart.y.ticks)) * (max(1, len(chart.traces)) * ROW + GAP)


def looks_of(chart: Chart) -> list[tuple[str, str]]:
    """Form and look of each trace: people a disc in their colour, models a form and a tone each."""
    looks, models = [], 0
    for trace in chart.traces:
        if trace.of_people or trace.is_simulated:
            looks.append((MARKERS[0], "human" if trace.of_people else "simulated"))
        else:
            looks.append((MARKERS[models % len(MARKERS)], f"t{models % len(MARKERS) + 1}"))
            models += 1
    return looks


def _legend(chart: Chart) -> tuple[tuple[tuple[Label, ...], tuple[Dot, ...]], float]:
    """A line an answerer, and where it ends."""
    names = list(enumerate(zip(chart.traces, looks_of(chart), strict=True)))
    labels = tuple(Label(LEFT + 14, 18 + LEGEND * row, trace.name, look="small") for row, (trace, _) in names)
    dots = tuple(Dot(LEFT + 4, 14 + LEGEND * row, form, look, trace.name) for row, (trace, (form, look)) in names)
    return (labels, dots), LEGEND * len(chart.traces)


def _grid(frame: Frame) -> list[Line]:
    chart, lines = frame.chart, []
    if chart.form != UPWARDS:
        lines += [_upright(frame, place, "grid") for place, _ in chart.x.ticks]
    if chart.form != ACROSS:
        lines += [_level(frame, place, "grid") for place, _ in chart.y.ticks]
    if chart.form == ACROSS:
        lines += [_level(frame, place + 0.5, "grid") for place, _ in chart.y.ticks[:-1]]
    if chart.x.guess is not None:
        lines.append(_upright(frame, chart.x.guess, "guess"))
    if chart.y.guess is not None:
        lines.append(_level(frame, chart.y.guess, "guess"))
    if chart.has_diagonal:
        lines.append(Line(frame.x(0), frame.y(0), frame.x(100), frame.y(100), "guess"))
    return lines


def _upright(frame: Frame, value: float, look: str) -> Line:
    return Line(frame.x(value), frame.top, frame.x(value), frame.bottom, look)


def _level(frame: Frame, value: float, look: str) -> Line:
    return Line(LEFT, frame.y(value), WIDTH - RIGHT, frame.y(value), look)


def _bands(frame: Frame) -> Iterator[Band]:
    for trace in frame.chart.traces:
        for point in trace.points:
            if trace.of_people and point.low is not None and point.high is not None:
                low, high, top = frame.x(point.low), frame.x(point.high), frame.y(point.y - 0.5)
                yield Band(low, top, round(high - low, 1), round(frame.y(point.y + 0.5) - top, 1))


def _axis_labels(frame: Frame) -> list[Label]:
    chart = frame.chart
    bottom = [Label(frame.x(place), frame.bottom + 17, text, "middle") for place, text in chart.x.ticks]
    side = [Label(LEFT - 10, frame.y(place) + 4, text, "end", _side_look(chart)) for place, text in chart.y.ticks]
    titles = [Label(WIDTH - RIGHT, frame.bottom + 36, chart.x.title, "end")] if chart.x.title else []
    if chart.y.title:
        titles.append(Label(LEFT - 10, frame.top - 12, chart.y.title, "start"))
    return [*bottom, *side, *titles]


def _side_look(chart: Chart) -> str:
    return "small" if chart.form == ACROSS else "small quiet"


def _trace_lines(frame: Frame, trace: Trace, look: str, shift: float) -> list[Line]:
    lines = [_spread(frame, point, look, shift) for point in trace.points if point.low is not None]
    if frame.chart.has_lines:
        places = [(frame.x(point.x), frame.y(point.y)) for point in trace.points]
        lines += [Line(*one, *other, f"join {look}") for one, other in pairwise(places)]
    return lines


def _spread(frame: Frame, point: Point, look: str, shift: float) -> Line:
    low, high = point.low or 0.0, point.high or 0.0
    if frame.chart.form == ACROSS:
        y = round(frame.y(point.y) + shift, 1)
        return Line(frame.x(low), y, frame.x(high), y, f"spread {look}")
    return Line(frame.x(point.x), frame.y(low), frame.x(point.x), frame.y(high), f"spread {look}")


def _dot(frame: Frame, point: Point, trace: Trace, look: tuple[str, str], shift: float) -> Dot:
    y = round(frame.y(point.y) + shift, 1)
    return Dot(frame.x(point.x), y, look[0], look[1], f"{trace.name}: {point.label}")
