"""A chart as a Plotly figure, made from the same specification as the drawing; browsers mount it unchanged.

Colours are variables of static/css/tokens.css, which each page fills in for its light or dark theme.
"""

from html import escape
from typing import Any

from leaderboard.charts.chart import ACROSS, LISTED, Axis, Chart, Panels, Trace
from leaderboard.charts.drawing import LEFT, RIGHT, cut
from leaderboard.charts.looks import TraceLook, looks_of, sizes_of

FAINT = "66"  # opacity of an interval, as hex: two fifths
HEADING, LINE = 1.5, 20  # room for a panel's heading and below it, in category lines; height of a line
CONFIG = {"responsive": True, "displayModeBar": False}
FONT = "Inter, system-ui, DejaVu Sans, sans-serif"


def plotly_figure(chart: Chart) -> dict[str, Any]:
    """The chart's data, layout and configuration for Plotly.newPlot."""
    is_sideways = chart.form in (ACROSS, LISTED)
    axes = {"xaxis": _axis(chart, chart.x), "yaxis": _axis(chart, chart.y, is_sideways=is_sideways)}
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    has_legend = chart.form != LISTED and len(chart.traces) > 1
    layout = _layout() | axes | {"legend": legend, "shapes": _shapes(chart), "showlegend": has_legend}
    return {"data": _traces(chart), "layout": layout, "config": CONFIG}


def plotly_panels(panels: Panels) -> dict[str, Any]:
    """A Plotly figure of the panels below each other, each as high as its categories and a heading."""
    lines = [len(chart.y.ticks) + 2 * HEADING for chart in panels.charts]
    layout, data = _layout() | {"showlegend": False, "annotations": [], "height": LINE * sum(lines)}, []
    for number, chart in enumerate(panels.charts, 1):
        x, y, top = f"x{number}", f"y{number}", 1 - sum(lines[: number - 1]) / sum(lines)
        domain = [1 - (sum(lines[:number]) - HEADING) / sum(lines), top - HEADING / sum(lines)]
        data += [trace | {"xaxis": x, "yaxis": y} for trace in _traces(chart)]
        layout[f"xaxis{number}"] = _axis(chart, chart.x) | {"anchor": y}
        layout[f"yaxis{number}"] = _axis(chart, chart.y, is_sideways=True) | {"anchor": x, "domain": domain}
        layout["annotations"].append(_heading(chart.title, domain[1]))
    return {"data": data, "layout": layout, "config": CONFIG}


def colour_of(look: TraceLook) -> str:
    return f"var(--{look.tone})"


def _layout() -> dict[str, Any]:
    return {
        "font": {"family": FONT, "size": 13, "color": "var(--ink)"},
        "paper_bgcolor": "var(--raised)",
        "plot_bgcolor": "var(--raised)",
        "margin": {"l": 60, "r": 30, "t": 24, "b": 50},
        "hoverlabel": {"bgcolor": "var(--ink)", "font": {"color": "var(--paper)"}},
    }


def _heading(title: str, y: float) -> dict[str, Any]:
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": y, "yanchor": "bottom"}
    return place | {"text": f"<b>{escape(title)}</b>", "showarrow": False}


def _axis(chart: Chart, axis: Axis, *, is_sideways: bool = False) -> dict[str, Any]:
    """The axis with texts cut as in the drawing and escaped, since Plotly reads markup."""
    room = LEFT if is_sideways else chart.width
    return {
        "title": {"text": escape(cut(axis.title, chart.width - RIGHT)), "font": {"size": 12}},
        "range": [axis.high, axis.low] if is_sideways else [axis.low, axis.high],
        "tickvals": [place for place, _ in axis.ticks],
        "ticktext": [escape(cut(text, room)) for _, text in axis.ticks],
        "gridcolor": "var(--rule)",
        "color": "var(--ink)",
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
    }


def _shapes(chart: Chart) -> list[dict[str, Any]]:
    """The lines of the chance level, and the diagonal."""
    line = {"type": "line", "line": {"color": "var(--chance)", "dash": "dash", "width": 1}}
    shapes = []
    if chart.x.guess is not None:
        shapes.append(line | {"yref": "paper", "x0": chart.x.guess, "x1": chart.x.guess, "y0": 0, "y1": 1})
    if chart.y.guess is not None:
        shapes.append(line | {"xref": "paper", "y0": chart.y.guess, "y1": chart.y.guess, "x0": 0, "x1": 1})
    if chart.has_diagonal:
        shapes.append(line | {"x0": 0, "y0": 0, "x1": 100, "y1": 100})
    return shapes


def _traces(chart: Chart) -> list[dict[str, Any]]:
    traces = _bars if chart.has_bars else _points
    return [
        traces(chart, number, trace, look)
        for number, (trace, look) in enumerate(zip(chart.traces, looks_of(chart), strict=True))
    ]


def _bars(chart: Chart, number: int, trace: Trace, look: TraceLook) -> dict[str, Any]:
    return _named(trace) | {
        "type": "bar",
        "orientation": "h",
        "x": [point.x for point in trace.points],
        "y": [point.y for point in trace.points],
        "text": [point.value for point in trace.points],
        "marker": {"color": colour_of(look)},
    }


def _points(chart: Chart, number: int, trace: Trace, look: TraceLook) -> dict[str, Any]:
    # Points in one category are shifted so that they don't overlap.
    count = len(chart.traces)
    shift = (number - (count - 1) / 2) * 0.8 / count if chart.form == ACROSS else 0.0
    mark = {"symbol": f"{look.symbol}-open" if look.is_hollow else look.symbol, "size": sizes_of(trace), "opacity": 1}
    return _named(trace) | {
        "type": "scatter",
        "mode": ("lines+markers" if chart.has_points else "lines") if chart.has_lines else "markers",
        "x": [point.x for point in trace.points],
        "y": [point.y + shift for point in trace.points],
        "error_x" if chart.form in (ACROSS, LISTED) else "error_y": _intervals(chart, trace, look),
        "marker": mark | {"color": colour_of(look), "line": {"width": 2 if look.is_hollow else 0}},
        "line": {"color": colour_of(look), "width": 1.5},
        "cliponaxis": False,
    }


def _named(trace: Trace) -> dict[str, Any]:
    labels = [escape(point.label) for point in trace.points]
    hover = "%{hovertext}<extra>%{fullData.name}</extra>"
    return {"name": escape(trace.name), "hovertext": labels, "hovertemplate": hover}


def _intervals(chart: Chart, trace: Trace, look: TraceLook) -> dict[str, Any]:
    values = [point.x if chart.form in (ACROSS, LISTED) else point.y for point in trace.points]
    pairs = list(zip(trace.points, values, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if point.high is None else point.high - value for point, value in pairs],
        "arrayminus": [0 if point.low is None else value - point.low for point, value in pairs],
        "color": colour_of(look) + FAINT,
        "thickness": 3,
        "width": 0,
    }
