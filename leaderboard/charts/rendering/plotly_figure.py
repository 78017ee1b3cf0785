"""A chart as a Plotly figure, made from the same specification as the drawing; browsers mount it unchanged.

Plotly's own package refuses names and values that its figures don't have. The figure is shown in a frame, under the
frame's own content security policy.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.http.response import HttpResponseBase
from django.views.decorators.clickjacking import xframe_options_sameorigin

from leaderboard.charts.chart import ACROSS, LISTED, Axis, Chart, Panels, Point, Trace
from leaderboard.charts.rendering.drawing import LEFT, RIGHT
from leaderboard.charts.rendering.letters import lines_in
from leaderboard.charts.rendering.looks import LIGHT, THEMES, TraceLook, colours, looks_of, sizes_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Colours = Mapping[str, str]
FAINT = 0.4  # opacity of an interval
HEADING, LINE = 1.5, 20  # room for a panel's heading and below it, in category lines; height of a line
FONT = "Inter, system-ui, DejaVu Sans, sans-serif"


def plotly_figure(chart: Chart, theme: str = LIGHT) -> "Figure":
    """The chart in the colours of one theme; ValueError if Plotly has no such figure."""
    ink, is_sideways = colours(theme), chart.form in (ACROSS, LISTED)
    axes = {"xaxis": _axis(ink, chart, chart.x), "yaxis": _axis(ink, chart, chart.y, is_sideways=is_sideways)}
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    has_legend = chart.form != LISTED and len(chart.traces) > 1
    layout = axes | {"legend": legend, "shapes": _shapes(ink, chart), "showlegend": has_legend}
    return _figure(_traces(ink, chart), _layout(ink) | layout)


def plotly_panels(panels: Panels) -> "Figure":
    """The panels below each other, in the light theme, each as high as its categories and a heading."""
    ink, lines = colours(LIGHT), [len(chart.y.ticks) + 2 * HEADING for chart in panels.charts]
    layout, data = _layout(ink) | {"showlegend": False, "annotations": [], "height": LINE * sum(lines)}, []
    for number, chart in enumerate(panels.charts, 1):
        x, y, top = f"x{number}", f"y{number}", 1 - sum(lines[: number - 1]) / sum(lines)
        domain = [1 - (sum(lines[:number]) - HEADING) / sum(lines), top - HEADING / sum(lines)]
        data += [trace | {"xaxis": x, "yaxis": y} for trace in _traces(ink, chart)]
        layout[f"xaxis{number}"] = _axis(ink, chart, chart.x) | {"anchor": y}
        layout[f"yaxis{number}"] = _axis(ink, chart, chart.y, is_sideways=True) | {"anchor": x, "domain": domain}
        layout["annotations"].append(_heading(chart.title, domain[1]))
    return _figure(data, layout)


def in_both_themes(chart: Chart) -> dict[str, Any]:
    """Data and layout for Plotly.react by theme; static/js/plot-mount.js takes the one that the page has."""
    return {theme: plotly_figure(chart, theme).to_plotly_json() for theme in THEMES}


def _figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> "Figure":
    from plotly.graph_objects import Figure  # a fifth of a second, which a start of the site saves

    return Figure(data, layout | {"template": {}})  # without it Plotly's own look comes with each figure


def _layout(ink: Colours) -> dict[str, Any]:
    return {
        "font": {"family": FONT, "size": 13, "color": ink["ink"]},
        "paper_bgcolor": ink["raised"],
        "plot_bgcolor": ink["raised"],
        "margin": {"l": 60, "r": 30, "t": 24, "b": 50},
        "hoverlabel": {"bgcolor": ink["ink"], "font": {"color": ink["paper"]}},
    }


def _heading(title: str, y: float) -> dict[str, Any]:
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": y, "yanchor": "bottom"}
    return place | {"text": f"<b>{escape(title)}</b>", "showarrow": False}


def _axis(ink: Colours, chart: Chart, axis: Axis, *, is_sideways: bool = False) -> dict[str, Any]:
    """The axis with texts in lines as in the drawing and escaped, since Plotly reads markup."""
    room = LEFT if is_sideways else chart.width

    def lines(text: str, room: int) -> str:
        return "<br>".join(map(escape, lines_in(text, room)))

    return {
        "title": {"text": lines(axis.title, chart.width - RIGHT), "font": {"size": 13}},
        "range": [axis.high, axis.low] if is_sideways else [axis.low, axis.high],
        "tickvals": [place for place, _ in axis.ticks],
        "ticktext": [lines(text, room) for _, text in axis.ticks],
        "gridcolor": ink["rule"],
        "color": ink["ink"],
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
    }


def _shapes(ink: Colours, chart: Chart) -> list[dict[str, Any]]:
    """The lines of the chance level, and the diagonal."""
    line = {"type": "line", "line": {"color": ink["chance"], "dash": "dash", "width": 1}}
    shapes = []
    if chart.x.guess is not None:
        shapes.append(line | {"yref": "paper", "x0": chart.x.guess, "x1": chart.x.guess, "y0": 0, "y1": 1})
    if chart.y.guess is not None:
        shapes.append(line | {"xref": "paper", "y0": chart.y.guess, "y1": chart.y.guess, "x0": 0, "x1": 1})
    if chart.has_diagonal:
        shapes.append(line | {"x0": 0, "y0": 0, "x1": 100, "y1": 100})
    return shapes


def _traces(ink: Colours, chart: Chart) -> list[dict[str, Any]]:
    traces = _bars if chart.has_bars else _points
    looks = list(zip(chart.traces, looks_of(chart), strict=True))
    marked = [traces(ink, chart, number, trace, look) for number, (trace, look) in enumerate(looks)]
    ranged = [(number, *one) for number, one in enumerate(looks) if any(point.range for point in one[0].points)]
    return [*marked, *(_ranges(ink, chart, *one) for one in ranged)]


def _bars(ink: Colours, chart: Chart, number: int, trace: Trace, look: TraceLook) -> dict[str, Any]:
    return _named(trace) | {
        "type": "bar",
        "orientation": "h",
        "x": [point.x for point in trace.points],
        "y": [point.y for point in trace.points],
        "text": [point.value for point in trace.points],
        "marker": {"color": ink[look.tone]},
    }


def _points(ink: Colours, chart: Chart, number: int, trace: Trace, look: TraceLook) -> dict[str, Any]:
    shift = _shift(chart, number)
    mark = {"symbol": f"{look.symbol}-open" if look.is_hollow else look.symbol, "size": sizes_of(trace), "opacity": 1}
    return _named(trace) | {
        "type": "scatter",
        "mode": ("lines+markers" if chart.has_points else "lines") if chart.has_lines else "markers",
        "x": [None if point.range else point.x for point in trace.points],
        "y": [point.y + shift for point in trace.points],
        "error_x" if chart.form in (ACROSS, LISTED) else "error_y": _intervals(ink, chart, trace, look),
        "marker": mark | {"color": ink[look.tone], "line": {"width": 2 if look.is_hollow else 0}},
        "line": {"color": ink[look.tone], "width": 1.5},
        "cliponaxis": False,
    }


def _shift(chart: Chart, number: int) -> float:
    """By how much the points of this trace are shifted, so that points in one category don't overlap."""
    count = len(chart.traces)
    return (number - (count - 1) / 2) * 0.8 / count if chart.form == ACROSS else 0.0


def _ranges(ink: Colours, chart: Chart, number: int, trace: Trace, look: TraceLook) -> dict[str, Any]:
    """The rounded figures of a trace: a thick line between the ends of each, thinner as far as its interval."""
    ranged = [point for point in trace.points if point.range]
    is_across, shift = chart.form in (ACROSS, LISTED), _shift(chart, number)
    values = [value for point in ranged for value in (*(point.range or ()), None)]
    places = [place for point in ranged for place in [point.y + shift if is_across else point.x] * 3]
    error = _intervals(ink, chart, trace, look) | _outwards(ranged)
    named = _named(replace(trace, points=tuple(point for point in ranged for _ in range(3))))
    return named | {
        "type": "scatter",
        "mode": "lines",
        "x": values if is_across else places,
        "y": places if is_across else values,
        "error_x" if is_across else "error_y": error,
        "line": {"color": ink[look.tone], "width": 8},
        "opacity": 0.7,
        "showlegend": False,
        "cliponaxis": False,
    }


def _outwards(ranged: Sequence[Point]) -> dict[str, list[float]]:
    """The lengths from the ends of each range to those of its interval, and none after it, where the line breaks."""
    ends = [(point, *(point.range or (0.0, 0.0))) for point in ranged]
    below = ((0 if point.low is None else max(0.0, low - point.low), 0, 0) for point, low, _ in ends)
    above = ((0, 0 if point.high is None else max(0.0, point.high - high), 0) for point, _, high in ends)
    return {"arrayminus": [*chain(*below)], "array": [*chain(*above)]}


def _named(trace: Trace) -> dict[str, Any]:
    labels = [escape(point.label) for point in trace.points]
    hover = "%{hovertext}<extra>%{fullData.name}</extra>"
    return {"name": escape(trace.name), "hovertext": labels, "hovertemplate": hover}


def _intervals(ink: Colours, chart: Chart, trace: Trace, look: TraceLook) -> dict[str, Any]:
    values = [point.x if chart.form in (ACROSS, LISTED) else point.y for point in trace.points]
    pairs = list(zip(trace.points, values, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if point.high is None else point.high - value for point, value in pairs],
        "arrayminus": [0 if point.low is None else value - point.low for point, value in pairs],
        "color": _faint(ink[look.tone]),
        "thickness": 3,
        "width": 0,
    }


def _faint(colour: str) -> str:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red},{green},{blue},{FAINT})"


def framed(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorator for views shown in a frame of this site; it allows the style element that Plotly writes."""
    policy: dict[str, Any] = {"style-src": [SELF, UNSAFE_INLINE], "frame-ancestors": [SELF]}
    return xframe_options_sameorigin(csp_replace(policy)(view))
