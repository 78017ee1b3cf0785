"""A chart as shapes in drawing units: the page and every image file show this one drawing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from textwrap import wrap

from leaderboard.charts.chart import ACROSS, LISTED, UPWARDS, Axis, Chart, Panels, Point, Trace
from leaderboard.charts.rendering.looks import SIZE, TraceLook, looks_of, sizes_of

LEFT, NARROW, RIGHT, TOP, FOOT = 200, 48, 24, 30, 46  # margins; the left one is narrow without categories at the side
BEHIND, BEHIND_BARS = 100, 50  # room for a list's values
ROW, GAP = 13, 12  # height of an answerer's line and of a line of a name, gap between categories
LISTED_ROW, BAR_ROW, BAR = 34, 17, 12  # in a list: height of a line with a mark, of one with a bar, of a bar
SQUARE, LEGEND, HEAD = 360, 20, 30  # heights: plot with two axes, legend line, heading
PHONE, PHONE_LEFT, ABOVE = 328, 34, 16  # width on a phone, its left margin, room for a category's name above its lines
TURNED = 6.5  # width of a letter of names side by side
LETTER = 7  # width of a letter: of a name, what does not fit into its lines is cut
BRIEF = 16  # letters that fit there on a phone, whose letters are larger
ABREAST = 2  # panels side by side


@dataclass(frozen=True)
class Rectangle:
    x: float
    y: float
    width: float
    height: float
    look: str


@dataclass(frozen=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    look: str
    title: str = ""


@dataclass(frozen=True)
class Label:
    """A text, with the `whole` one if it is cut; phones show `brief` and leave out `aside`."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    look: str = "small quiet"
    whole: str = ""
    brief: str = ""
    aside: str = ""


@dataclass(frozen=True)
class PointShape:
    x: float
    y: float
    outline: str
    look: str
    title: str
    scale: float = 1.0


@dataclass(frozen=True)
class Picture:
    """A square image, given as a data URL."""

    x: float
    y: float
    edge: float
    address: str


@dataclass(frozen=True)
class Drawing:
    """Shapes, painted as rectangles, lines, then marks; `parts` are drawings inside this one with their places."""

    title: str
    about: str
    width: float
    height: float
    rectangles: tuple[Rectangle, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()
    points: tuple[PointShape, ...] = ()
    pictures: tuple[Picture, ...] = ()
    parts: tuple[tuple[float, float, "Drawing"], ...] = field(default=(), repr=False)
    narrow: "Drawing | None" = field(default=None, repr=False)  # the same chart for phones


@dataclass(frozen=True)
class Frame:
    """Position of the plot area, and conversion of values to coordinates."""

    chart: Chart
    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def left(self) -> float:
        return margins_of(self.chart)[0]

    @property
    def right(self) -> float:
        return self.chart.width - margins_of(self.chart)[1]

    def x(self, value: float) -> float:
        return round(self.left + (self.right - self.left) * _part(value, self.chart.x), 1)

    def y(self, value: float) -> float:
        part = _part(value, self.chart.y)
        return round(self.top + self.height * (part if _is_sideways(self.chart) else 1 - part), 1)


def margins_of(chart: Chart) -> tuple[int, int]:
    """Left and right margins of the plot area."""
    if chart.form == LISTED:
        return LEFT, BEHIND_BARS if chart.has_bars else BEHIND
    if _is_narrow(chart):
        return 8 if chart.form == ACROSS else PHONE_LEFT, 12
    return LEFT if chart.form == ACROSS else NARROW, RIGHT


def _is_narrow(chart: Chart) -> bool:
    """Whether names of categories are above their lines, because the side margin is too narrow."""
    return chart.width <= PHONE and chart.form != LISTED


def _above(chart: Chart) -> int:
    """Room for the name above each category's lines."""
    return ABOVE if chart.form == ACROSS and _is_narrow(chart) else 0


def _is_sideways(chart: Chart) -> bool:
    """Whether categories are on the y axis, the first one on top."""
    return chart.form in (ACROSS, LISTED)


def _part(value: float, axis: Axis) -> float:
    span = axis.high - axis.low or 1.0
    return min(1.0, max(0.0, (value - axis.low) / span))


def page_drawing_of(chart: Chart) -> Drawing:
    """The chart's shapes for a page: wide ones, and narrow ones for phones."""
    if chart.form == LISTED:
        return drawing_of(chart)  # its letters grow on phones
    return replace(drawing_of(chart), narrow=drawing_of(replace(chart, width=PHONE)))


def drawing_of(chart: Chart) -> Drawing:
    """The chart's shapes."""
    looks = looks_of(chart)
    legend = 0 if chart.form == LISTED or len(chart.traces) < 2 else sum(_legend_rows(chart))
    frame = Frame(chart, 10 if chart.has_bars else legend + TOP, _height(chart))
    names, keys = _legend(frame, looks) if legend else ([], [])
    lines, marks, rectangles = _grid(frame), keys, list(_bands(frame))
    for number, (trace, look) in enumerate(zip(chart.traces, looks, strict=True)):
        shift = (number - (len(chart.traces) - 1) / 2) * ROW + _above(chart) / 2 if chart.form == ACROSS else 0.0
        if chart.has_bars:
            rectangles += [_bar(frame, point, look) for point in trace.points]
            continue
        lines += _trace_lines(frame, trace, look, shift)
        marks += _point_shapes(frame, trace, look, shift)
    labels = (*names, *_axis_labels(frame, looks), *_values(frame))
    height = round(frame.bottom + (FOOT if chart.x.ticks else GAP))
    return Drawing(chart.title, chart.alt, chart.width, height, tuple(rectangles), tuple(lines), labels, tuple(marks))


def titled(drawing: Drawing) -> Drawing:
    """The drawing with its title above, for use outside a page."""
    head = Label(12, 20, cut(drawing.title, drawing.width - 24), look="head", whole=drawing.title)
    height = drawing.height + HEAD
    return Drawing(drawing.title, drawing.about, drawing.width, height, labels=(head,), parts=((0, HEAD, drawing),))


def drawing_of_panels(panels: Panels) -> Drawing:
    """Panels side by side in pairs, each pair as high as its higher one."""
    parts, top, width = [], 0.0, 0.0
    for start in range(0, len(panels.charts), ABREAST):
        pair = [titled(drawing_of(chart)) for chart in panels.charts[start : start + ABREAST]]
        for place, drawing in enumerate(pair):
            parts.append((place * drawing.width, top, drawing))
        width = max(width, sum(drawing.width for drawing in pair))
        top += max(drawing.height for drawing in pair) + GAP
    return Drawing(panels.title, panels.alt, width, top, parts=tuple(parts))


def cut(text: str, room: float) -> str:
    """The text cut to the room; the text alternative and the table have all of it."""
    return _cut_to(text, int(room / LETTER))


def lines_in(text: str, room: float) -> list[str]:
    """The text in as many lines of the room as it takes, two at most; what is left is cut."""
    longest = int(room / LETTER)
    first, *rest = wrap(text, longest) or [""]
    return [cut(first, room), *([_cut_to(" ".join(rest), longest)] if rest else [])]


def _cut_to(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip(" ,") + "…"


def _height(chart: Chart) -> float:
    if chart.form == LISTED:
        return len(chart.y.ticks) * (BAR_ROW if chart.has_bars else LISTED_ROW)
    if chart.form == ACROSS:
        return max(1, len(chart.y.ticks)) * (max(1, len(chart.traces)) * ROW + GAP + _above(chart))
    return min(SQUARE, chart.width - sum(margins_of(chart)))


def _legend(frame: Frame, looks: Sequence[TraceLook]) -> tuple[list[Label], list[PointShape]]:
    """Labels and mark of each answerer in the legend."""
    labels, marks, y = [], [], 14
    for trace, look, height in zip(frame.chart.traces, looks, _legend_rows(frame.chart), strict=True):
        lines = lines_in(trace.name, _legend_room(frame.chart))
        labels += _stacked(lines, Label(frame.left + 14, y + 4, "", look="small", whole=trace.name))
        marks.append(PointShape(frame.left + 4, y, look.outline, _look("point", look), trace.name))
        y += height
    return labels, marks


def _legend_rows(chart: Chart) -> list[int]:
    """The height of each answerer's name in the legend."""
    return [LEGEND + ROW * (len(lines_in(trace.name, _legend_room(chart))) - 1) for trace in chart.traces]


def _legend_room(chart: Chart) -> float:
    return chart.width - sum(margins_of(chart)) - 14


def _stacked(lines: Sequence[str], first: Label) -> list[Label]:
    """The lines below each other, the first at this label's place; its whole text is named if they don't say it all."""
    whole = "" if " ".join(lines) == first.whole else first.whole
    return [replace(first, y=first.y + ROW * number, text=line, whole=whole) for number, line in enumerate(lines)]


def _look(what: str, look: TraceLook) -> str:
    return f"{what} {look.tone}" + (" hollow" if look.is_hollow and what == "point" else "")


def _grid(frame: Frame) -> list[Line]:
    chart, lines = frame.chart, []
    if chart.form != UPWARDS:
        lines += [_upright(frame, place, "grid") for place, _ in chart.x.ticks]
    if not _is_sideways(chart):
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
    return Line(frame.left, frame.y(value), frame.right, frame.y(value), look)


def _bands(frame: Frame) -> Iterator[Rectangle]:
    """Bands of people's intervals over the height of each category, to show which models lie within."""
    for trace in frame.chart.traces if frame.chart.form == ACROSS else ():
        for point in trace.points:
            if trace.of_people and point.low is not None and point.high is not None:
                low, high, top = frame.x(point.low), frame.x(point.high), frame.y(point.y - 0.5)
                height = round(frame.y(point.y + 0.5) - top, 1)
                yield Rectangle(low, top, round(high - low, 1), height, "band human")


def _bar(frame: Frame, point: Point, look: TraceLook) -> Rectangle:
    low = frame.x(frame.chart.x.low)
    y = round(frame.y(point.y) - BAR / 2, 1)
    return Rectangle(low, y, round(frame.x(point.x) - low, 1), BAR, _look("bar", look))


def _axis_labels(frame: Frame, looks: Sequence[TraceLook]) -> list[Label]:
    chart = frame.chart
    bottom = [_tick_label(frame, *tick) for tick in _below(frame)]
    side = [label for place, text in chart.y.ticks for label in _side_labels(frame, place, text, looks)]
    titles = []
    if chart.x.title:
        text = cut(chart.x.title, chart.width - RIGHT)
        titles.append(Label(frame.right, frame.bottom + 36, text, "end", "small quiet axis", whole=chart.x.title))
    if chart.y.title:
        text = cut(chart.y.title, chart.width - RIGHT)
        titles.append(Label(frame.left - 10, frame.top - 12, text, "start", whole=chart.y.title))
    if chart.form == LISTED and chart.x.guess is not None:
        titles.append(Label(frame.x(chart.x.guess), frame.top - 6, "chance", "middle"))
    return [*bottom, *side, *titles]


def _tick_label(frame: Frame, place: float, text: str, whole: str) -> Label:
    """The name below its place; one that would leave the drawing begins or ends at its edge."""
    x, y, width, half = frame.x(place), frame.bottom + 17, frame.chart.width, LETTER * len(text) / 2
    if x + half > width and frame.chart.form != UPWARDS:
        return Label(width - 1, y, text, "end", whole=whole)
    if x < half and frame.chart.form != UPWARDS:
        return Label(1, y, text, "start", whole=whole)
    return Label(x, y, text, "middle", whole=whole)


def _below(frame: Frame) -> Iterator[tuple[float, str, str]]:
    """Place, text and whole text of the names below the plot; names side by side are cut to the room between them."""
    ticks = frame.chart.x.ticks
    for place, text in ticks:
        if frame.chart.form == UPWARDS and len(ticks) > 1:
            yield place, _cut_to(text, int((frame.x(ticks[1][0]) - frame.x(ticks[0][0])) / TURNED)), text
        else:
            yield place, text, text


def _side_labels(frame: Frame, place: float, text: str, looks: Sequence[TraceLook]) -> list[Label]:
    """A category's name; in a list of answerers, in the answerer's tone."""
    chart, x, y = frame.chart, frame.left - 10, frame.y(place) + 4
    if not _is_sideways(chart):
        return [Label(x, y, text, "end")]
    if _above(chart):
        top = frame.y(place - 0.5) + ABOVE - 2
        return [Label(frame.left, top, cut(text, frame.right - frame.left), "start", "small", whole=text)]
    if chart.has_bars:
        return [Label(x, y, cut(text, x), "end", "small", whole=text)]
    if chart.form == ACROSS:
        lines = lines_in(text, x)
        return _stacked(lines, Label(x, y - ROW / 2 * (len(lines) - 1), "", "end", "small", whole=text))
    own = next((look for trace, look in zip(chart.traces, looks, strict=True) if trace.points[0].y == place), None)
    brief = _cut_to(text, BRIEF)
    look = own.tone if own else ""
    return [Label(x, y, cut(text, x), "end", look, whole=text, brief=brief if brief != text else "")]


def _values(frame: Frame) -> Iterator[Label]:
    """The values beside the points of a list."""
    for trace in frame.chart.traces if frame.chart.form == LISTED else ():
        for point in trace.points:
            end = max(point.x if point.high is None else point.high, point.range[1] if point.range else 0.0)
            yield Label(frame.x(end) + 12, frame.y(point.y) + 4, point.value, aside=point.aside)


def _trace_lines(frame: Frame, trace: Trace, look: TraceLook, shift: float) -> list[Line]:
    lines = []
    if frame.chart.form == LISTED:
        low = frame.x(frame.chart.x.low)
        ends = [(each.y, each.range[0] if each.range else each.x) for each in trace.points]
        lines += [Line(low, frame.y(y), frame.x(end), frame.y(y), "grid") for y, end in ends]
    for point in trace.points:
        if point.low is not None and point.high is not None:
            lines.append(_between(frame, point, (point.low, point.high), shift, _look("spread", look)))
        if point.range:
            title = f"{trace.name}: {point.label}"
            lines.append(_between(frame, point, point.range, shift, _look("range", look), title))
    if frame.chart.has_lines:
        places = [None if point.range else (frame.x(point.x), frame.y(point.y)) for point in trace.points]
        lines += [Line(*one, *other, _look("join", look)) for one, other in pairwise(places) if one and other]
    return lines


def _between(frame: Frame, point: Point, ends: tuple[float, float], shift: float, look: str, title: str = "") -> Line:
    """A line between two values at the place of this point."""
    if _is_sideways(frame.chart):
        y = round(frame.y(point.y) + shift, 1)
        return Line(frame.x(ends[0]), y, frame.x(ends[1]), y, look, title)
    return Line(frame.x(point.x), frame.y(ends[0]), frame.x(point.x), frame.y(ends[1]), look, title)


def _point_shapes(frame: Frame, trace: Trace, look: TraceLook, shift: float) -> Iterator[PointShape]:
    marked = list(zip(trace.points, sizes_of(trace), strict=True))
    for point, size in marked if frame.chart.has_points else marked[-1:]:
        if point.range:
            continue
        y, scale = round(frame.y(point.y) + shift, 1), round(size / SIZE, 2)
        yield PointShape(frame.x(point.x), y, look.outline, _look("point", look), f"{trace.name}: {point.label}", scale)
