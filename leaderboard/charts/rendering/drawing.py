"""A chart as shapes in drawing units: the page and every image file show this one drawing.

A unit is never smaller than a pixel on a page, and letters are 13 units high: see `static/css/site.css`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from leaderboard.charts.chart import ACROSS, LISTED, UPWARDS, Axis, Chart, Panels, Point, Trace
from leaderboard.charts.rendering.letters import fits, lines_in, width_of
from leaderboard.charts.rendering.looks import SIZE, TraceLook, looks_of, sizes_of
from leaderboard.charts.rendering.shapes import Drawing, Label, Line, PointShape, Rectangle

LEFT, RIGHT, TOP = 200, 24, 34  # the widest left margin, for names of categories; the right one; above the plot
EDGE = 8  # least room at the sides and below
ROW, LINE, GAP = 13, 16, 12  # heights: an answerer's line, a line of text, the gap between categories
LISTED_ROW, BAR_ROW, BAR = 34, 18, 12  # in a list: height of a line with a mark, of one with a bar, of a bar
SQUARE, LEGEND, HEAD = 360, 20, 30  # heights: plot with two axes, legend line, heading
PHONE = 272  # width on a phone, where the name of a category is above its lines
TICK, TITLE = 18, 38  # from the plot down to the first line of ticks and of the axis' title
TICK_LINES = 3  # longer names side by side get numbers, and a list below
ABREAST = 2  # panels side by side


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


def margins_of(chart: Chart) -> tuple[float, float]:
    """Left and right margins of the plot area: as wide as what stands there, names of categories as far as `LEFT`."""
    names = max((width_of(text) for _, text in chart.y.ticks), default=0.0)
    right = max((width_of(_value(point)) for trace in chart.traces for point in trace.points), default=0.0)
    return (
        EDGE if _is_narrow(chart) and _is_sideways(chart) else round(min(LEFT, names + 2 * EDGE)),
        round(right + 2 * GAP) if chart.form == LISTED else RIGHT if not _is_narrow(chart) else GAP,
    )


def _is_narrow(chart: Chart) -> bool:
    return chart.width <= PHONE


def _names(chart: Chart) -> list[list[str]]:
    """The lines of each category's name: at the side, or above on a narrow drawing."""
    left, right = margins_of(chart)
    room = chart.width - left - right if _is_narrow(chart) else left - 10
    return [lines_in(text, room) for _, text in chart.y.ticks]


def _above(chart: Chart) -> int:
    """Room for the name above each category's lines."""
    is_above = _is_sideways(chart) and _is_narrow(chart)
    return LINE * max(map(len, _names(chart)), default=1) + 2 if is_above else 0


def _is_sideways(chart: Chart) -> bool:
    """Whether categories are on the y axis, the first one on top."""
    return chart.form in (ACROSS, LISTED)


def _part(value: float, axis: Axis) -> float:
    span = axis.high - axis.low or 1.0
    return min(1.0, max(0.0, (value - axis.low) / span))


def page_drawing_of(chart: Chart) -> Drawing:
    """The chart's shapes for a page: wide ones, and narrow ones for phones, where a list leaves out what is aside."""
    traces = tuple(
        replace(trace, points=tuple(replace(point, aside="") for point in trace.points)) for trace in chart.traces
    )
    return replace(drawing_of(chart), narrow=drawing_of(replace(chart, width=PHONE, traces=traces)))


def drawing_of(chart: Chart) -> Drawing:
    """The chart's shapes."""
    looks = looks_of(chart)
    legend = 0 if chart.form == LISTED or len(chart.traces) < 2 else sum(_legend_rows(chart))
    title = LINE * (len(lines_in(chart.y.title, chart.width - RIGHT)) - 1)
    top = 10 if chart.has_bars and chart.x.guess is None else legend + TOP + title
    frame = Frame(chart, top, _height(chart))
    names, keys = _legend(frame, looks) if legend else ([], [])
    lines, marks, rectangles = _grid(frame), keys, list(_bands(frame))
    for number, (trace, look) in enumerate(zip(chart.traces, looks, strict=True)):
        shift = _shift(chart, number)
        if chart.has_bars:
            rectangles += [_bar(frame, point, look) for point in trace.points]
            continue
        lines += _trace_lines(frame, trace, look, shift)
        marks += _point_shapes(frame, trace, look, shift)
    labels = (*names, *_axis_labels(frame, looks), *_values(frame))
    height = round(max(frame.bottom + GAP, *(label.y + EDGE for label in labels), 0.0))
    return Drawing(chart.title, chart.alt, chart.width, height, tuple(rectangles), tuple(lines), labels, tuple(marks))


def _shift(chart: Chart, number: int) -> float:
    """How far below a category's middle the lines of this trace are."""
    own = (number - (len(chart.traces) - 1) / 2) * ROW if chart.form == ACROSS else 0.0
    return own + _above(chart) / 2


def titled(drawing: Drawing) -> Drawing:
    """The drawing with its title above, for use outside a page."""
    lines = lines_in(drawing.title, (drawing.width - 3 * EDGE) * 0.95)  # its letters are bold
    heads = _stacked(lines, Label(12, 20, "", look="text head", whole=drawing.title))
    room = HEAD + LINE * (len(lines) - 1)
    size = (drawing.width, drawing.height + room)
    return Drawing(drawing.title, drawing.about, *size, labels=tuple(heads), parts=((0, room, drawing),))


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


def _height(chart: Chart) -> float:
    if not _is_sideways(chart):
        return min(SQUARE, chart.width - sum(margins_of(chart)))
    above, names = _above(chart), LINE * max(map(len, _names(chart)), default=1) + 4
    if chart.form == ACROSS:
        own = max(1, len(chart.traces)) * ROW + GAP
    else:
        own = BAR_ROW if chart.has_bars else LISTED_ROW - above // 2
    return max(1, len(chart.y.ticks)) * (own + above if above else max(own, names))


def _legend(frame: Frame, looks: Sequence[TraceLook]) -> tuple[list[Label], list[PointShape]]:
    """Labels and mark of each answerer in the legend."""
    labels, marks, y = [], [], 14
    left = frame.left if _is_sideways(frame.chart) else EDGE
    for trace, look, height in zip(frame.chart.traces, looks, _legend_rows(frame.chart), strict=True):
        lines = lines_in(trace.name, _legend_room(frame.chart))
        labels += _stacked(lines, Label(left + 14, y + 4, "", look="text", whole=trace.name))
        marks.append(PointShape(left + 4, y, look.outline, _look("point", look), trace.name))
        y += height
    return labels, marks


def _legend_rows(chart: Chart) -> list[int]:
    """The height of each answerer's name in the legend."""
    return [LEGEND + LINE * (len(lines_in(trace.name, _legend_room(chart))) - 1) for trace in chart.traces]


def _legend_room(chart: Chart) -> float:
    return chart.width - sum(margins_of(chart)) - 14


def _stacked(lines: Sequence[str], first: Label) -> list[Label]:
    """The lines below each other, the first at this label's place."""
    whole = first.whole if len(lines) > 1 else ""
    return [replace(first, y=first.y + LINE * number, text=line, whole=whole) for number, line in enumerate(lines)]


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
                low, high, top = frame.x(point.low), frame.x(point.high), frame.y(point.y - 0.5) + _above(frame.chart)
                height = round(frame.y(point.y + 0.5) - top, 1)
                yield Rectangle(low, top, round(high - low, 1), height, "band human")


def _bar(frame: Frame, point: Point, look: TraceLook) -> Rectangle:
    low = frame.x(frame.chart.x.low)
    y = round(frame.y(point.y) + _above(frame.chart) / 2 - BAR / 2, 1)
    return Rectangle(low, y, round(frame.x(point.x) - low, 1), BAR, _look("bar", look))


def _axis_labels(frame: Frame, looks: Sequence[TraceLook]) -> list[Label]:
    chart = frame.chart
    bottom = list(_below(frame))
    side = [label for place, lines in enumerate(_names(chart)) for label in _side_labels(frame, place, lines, looks)]
    titles = []
    if chart.x.title:
        lines = lines_in(chart.x.title, chart.width - RIGHT)
        y = frame.bottom + TITLE if bottom else frame.bottom + TICK
        titles += _stacked(lines, Label(chart.width - EDGE, y, "", "end", whole=chart.x.title))
    if chart.y.title:
        lines = lines_in(chart.y.title, chart.width - RIGHT)
        y = frame.top - 17 - LINE * (len(lines) - 1)
        titles += _stacked(lines, Label(EDGE, y, "", whole=chart.y.title))
    if chart.form == LISTED and chart.x.guess is not None:
        titles.append(Label(frame.x(chart.x.guess), frame.top - 6, "chance", "middle"))
    return [*bottom, *side, *titles]


def _below(frame: Frame) -> Iterator[Label]:
    """The names below the plot; side by side they take several lines, or numbers that a list explains."""
    chart, y = frame.chart, frame.bottom + TICK
    if chart.form != UPWARDS:
        yield from (_tick_label(frame, place, text) for place, text in _apart(frame))
        return
    ticks = chart.x.ticks
    places = [frame.x(place) for place, _ in ticks]
    room = min([chart.width, *(after - before - EDGE for before, after in pairwise(places))])
    rooms = [min(room, 2 * place, 2 * (chart.width - place)) for place in places]
    lines = [lines_in(text, own) for (_, text), own in zip(ticks, rooms, strict=True)]
    is_short = all(fits(text, own) for (_, text), own in zip(ticks, rooms, strict=True))
    if is_short and max(map(len, lines), default=1) <= TICK_LINES:
        for place, (_, text), own in zip(places, ticks, lines, strict=True):
            yield from _stacked(own, Label(place, y, "", "middle", whole=text))
        return
    yield from (Label(place, y, str(number), "middle") for number, place in enumerate(places, 1))
    for number, (_, text) in enumerate(ticks, 1):
        own = lines_in(text, chart.width - 4 * EDGE)
        y += LINE
        yield Label(EDGE, y, str(number))
        yield from _stacked(own, Label(4 * EDGE, y, "", whole=text))
        y += LINE * (len(own) - 1)


def _apart(frame: Frame) -> list[tuple[float, str]]:
    """The ticks of a number's axis, so many that none touches its neighbour."""
    ticks, every = frame.chart.x.ticks, 1

    def are_apart(some: Sequence[tuple[float, str]]) -> bool:
        labels = [_tick_label(frame, *tick) for tick in some]
        return all(_ends(before)[1] + EDGE / 2 <= _ends(after)[0] for before, after in pairwise(labels))

    while not are_apart(ticks[::every]):
        every += 1
    return list(ticks[::every])


def _ends(label: Label) -> tuple[float, float]:
    """Where a label begins and ends."""
    width = width_of(label.text)
    start = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    return start, start + width


def _tick_label(frame: Frame, place: float, text: str) -> Label:
    """The name below its place; one that would leave the drawing begins or ends at its edge."""
    x, y, width, half = frame.x(place), frame.bottom + TICK, frame.chart.width, width_of(text) / 2
    if x + half > width:
        return Label(width - 1, y, text, "end")
    return Label(1, y, text, "start") if x < half else Label(x, y, text, "middle")


def _side_labels(frame: Frame, number: int, lines: Sequence[str], looks: Sequence[TraceLook]) -> list[Label]:
    """A category's name; in a list of answerers, in the answerer's tone."""
    chart, (place, text) = frame.chart, frame.chart.y.ticks[number]
    own = (
        next((look for trace, look in zip(chart.traces, looks, strict=True) if trace.points[0].y == place), None)
        if (chart.form == LISTED and not chart.has_bars)
        else None
    )
    look = f"text {own.tone}" if own else "text"
    if _above(chart):
        return _stacked(lines, Label(frame.left, frame.y(place - 0.5) + LINE - 1, "", "start", look, whole=text))
    y = round(frame.y(place) + 4.5 - LINE / 2 * (len(lines) - 1), 1)
    return _stacked(lines, Label(frame.left - 10, y, "", "end", look if _is_sideways(chart) else "text quiet", text))


def _value(point: Point) -> str:
    return point.value + point.aside


def _values(frame: Frame) -> Iterator[Label]:
    """The values beside the points of a list."""
    for trace in frame.chart.traces if frame.chart.form == LISTED else ():
        for point in trace.points:
            end = max(point.x if point.high is None else point.high, point.range[1] if point.range else 0.0)
            y = frame.y(point.y) + _above(frame.chart) / 2 + 4
            yield Label(frame.x(end) + 12, y, _value(point))


def _trace_lines(frame: Frame, trace: Trace, look: TraceLook, shift: float) -> list[Line]:
    lines = []
    if frame.chart.form == LISTED:
        low = frame.x(frame.chart.x.low)
        ends = [(each.y, each.range[0] if each.range else each.x) for each in trace.points]
        lines += [Line(low, frame.y(y) + shift, frame.x(end), frame.y(y) + shift, "grid") for y, end in ends]
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
