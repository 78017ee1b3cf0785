"""A chart as a file: our own drawing as SVG, Plotly's as PNG, PDF and HTML."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string

from leaderboard.chart_drawing import drawing_of, looks_of
from leaderboard.charts import ACROSS, Axis, Chart, Trace
from leaderboard.figure_files import CHANCE, COLOURS, FONT, INK, RULE, html_of, picture_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# Print is light: the tokens of the light theme (static/css/tokens.css), which a test holds equal.
TONES = {
    "t1": "#1f5fae", "t2": "#0f766e", "t3": "#8a3ffc", "t4": "#9f1853", "t5": "#6b5b00", "t6": "#454a54",
    "human": COLOURS["human"], "simulated": COLOURS["quiet"],
}  # fmt: skip
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")


def svg_of(chart: Chart) -> str:
    """A file that stands alone: it carries its own colours."""
    context = {"chart": chart, "drawing": drawing_of(chart), "alone": True, "colours": TONES.items()}
    return render_to_string("leaderboard/parts/chart.svg", context)


def plotly_figure(chart: Chart) -> "PlotlyFigure":
    """The chart in Plotly's terms."""
    from plotly import graph_objects as go

    drawn = go.Figure([_trace(chart, trace, number) for number, trace in enumerate(chart.traces)])
    for axis, add in ((chart.x, drawn.add_vline), (chart.y, drawn.add_hline)):
        if axis.guess is not None:
            add(axis.guess, line={"color": CHANCE, "dash": "dash", "width": 1})
    if chart.has_diagonal:
        drawn.add_shape(type="line", x0=0, y0=0, x1=100, y1=100, line={"color": CHANCE, "dash": "dash", "width": 1})
    lines = len(chart.y.ticks) * max(1, len(chart.traces)) if chart.form == ACROSS else 0
    drawn.update_layout(
        title=chart.title, width=900, height=max(520, 180 + 14 * lines), plot_bgcolor="white", paper_bgcolor="white",
        font={"family": FONT, "color": INK}, showlegend=True, xaxis=_axis(chart.x), yaxis=_axis(chart.y),
    )  # fmt: skip
    if chart.form == ACROSS:
        drawn.update_yaxes(autorange="reversed")
    return drawn


def _axis(axis: Axis) -> dict[str, Any]:
    places, texts = [place for place, _ in axis.ticks], [text for _, text in axis.ticks]
    shown = {"title": axis.title, "range": [axis.low, axis.high], "tickvals": places, "ticktext": texts}
    return shown | {"gridcolor": RULE, "zeroline": False, "automargin": True}


def _trace(chart: Chart, trace: Trace, number: int) -> dict[str, Any]:
    look = "human" if trace.of_people else "simulated" if trace.is_simulated else f"t{number % len(SYMBOLS) + 1}"
    values = [point.x if chart.form == ACROSS else point.y for point in trace.points]
    pairs = list(zip(trace.points, values, strict=True))
    above = [(point.high - value) if point.high is not None else 0 for point, value in pairs]
    below = [(value - point.low) if point.low is not None else 0 for point, value in pairs]
    error = {"array": above, "arrayminus": below, "symmetric": False, "width": 0, "thickness": 2}
    shift = (number - (len(chart.traces) - 1) / 2) * 0.8 / max(1, len(chart.traces)) if chart.form == ACROSS else 0.0
    return {
        "type": "scatter",
        "name": trace.name,
        "mode": "lines+markers" if chart.has_lines else "markers",
        "x": [point.x for point in trace.points],
        "y": [point.y + shift for point in trace.points],
        "text": [point.label for point in trace.points],
        "error_x" if chart.form == ACROSS else "error_y": error,
        "marker": {"color": TONES[look], "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
    }


def points_of(chart: Chart) -> dict[str, Any]:
    """The same for Plotly in a page of this site; colours are named by role and filled in there, light or dark."""
    names = {"title": chart.title, "form": chart.form, "lines": chart.has_lines, "diagonal": chart.has_diagonal}
    traces = [
        {
            "name": trace.name,
            "role": look,
            "symbol": symbol_of(look),
            "points": [asdict(point) for point in trace.points],
        }
        for trace, (_, look) in zip(chart.traces, looks_of(chart), strict=True)
    ]
    return names | {"x": asdict(chart.x), "y": asdict(chart.y), "traces": traces}


def symbol_of(look: str) -> str:
    """The form of the drawing's marker: people a disc, models one each."""
    return SYMBOLS[int(look[1:]) - 1] if look.startswith("t") else SYMBOLS[0]


def as_svg(chart: Chart) -> bytes:
    return svg_of(chart).encode()


def as_html(chart: Chart) -> bytes:
    return html_of(plotly_figure(chart))


def as_png(chart: Chart) -> bytes:
    return picture_of(plotly_figure(chart), "png")


def as_pdf(chart: Chart) -> bytes:
    return picture_of(plotly_figure(chart), "pdf")


WRITERS: dict[str, Callable[[Chart], bytes]] = {"svg": as_svg, "png": as_png, "pdf": as_pdf, "html": as_html}
