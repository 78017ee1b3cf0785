"""A figure as a file: our own drawing as SVG, Plotly's as PNG, PDF and HTML."""

import logging
import os
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from django.template.loader import render_to_string

from leaderboard.plots import Bar, Figure, drawing_of, role_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

# Print is light: the tokens of the light theme (static/css/tokens.css), which a test holds equal.
COLOURS = {"human": "#b45309", "model": "#1b1d21", "quiet": "#5a5f69"}
INK, RULE, CHANCE = "#1b1d21", "#dedfd9", "#8a8f98"
FORMATS = ("svg", "png", "pdf", "html")
BROWSERS = ("chromium", "google-chrome", "chromium-browser", "chrome")
FONT = "Inter, DejaVu Sans, sans-serif"


class NoBrowser(RuntimeError):
    """PNG and PDF are drawn by a browser, and none is installed."""


def svg_of(figure: Figure) -> str:
    """A file that stands alone: it carries its own colours."""
    context = {"figure": figure, "drawing": drawing_of(figure), "alone": True}
    return render_to_string("leaderboard/parts/figure_3.svg", context)


def as_svg(figure: Figure) -> bytes:
    return svg_of(figure).encode()


def as_html(figure: Figure) -> bytes:
    return html_of(plotly_figure(figure))


def html_of(drawn: "PlotlyFigure") -> bytes:
    """One file that works without a network."""
    return drawn.to_html(include_plotlyjs=True, full_html=True).encode()


def picture_of(drawn: "PlotlyFigure", wanted: str) -> bytes:
    """PNG or PDF; NoBrowser where none is there to draw it."""
    path = os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise NoBrowser(f"a {wanted} is drawn by Chromium, and none is installed: apt-get install chromium")
    os.environ["BROWSER_PATH"] = path
    for noisy in ("choreographer", "kaleido"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return drawn.to_image(format=wanted, scale=2)


def as_png(figure: Figure) -> bytes:
    return picture_of(plotly_figure(figure), "png")


def as_pdf(figure: Figure) -> bytes:
    return picture_of(plotly_figure(figure), "pdf")


WRITERS: dict[str, Callable[[Figure], bytes]] = {"svg": as_svg, "png": as_png, "pdf": as_pdf, "html": as_html}


def plotly_figure(figure: Figure) -> "PlotlyFigure":
    """The figure in Plotly's terms."""
    from plotly import graph_objects as go

    bars = figure.bars[::-1]
    drawn = go.Figure(_trace(bars))
    if figure.chance is not None:
        drawn.add_vline(x=100 * figure.chance, line={"color": CHANCE, "dash": "dash", "width": 1})
    drawn.update_layout(
        title=figure.title, width=800, height=140 + 36 * len(bars), plot_bgcolor="white", paper_bgcolor="white",
        font={"family": FONT, "color": INK}, margin={"l": 180, "r": 40, "t": 60, "b": 50},
        xaxis={"range": [0, 102], "gridcolor": RULE, "ticksuffix": " %"}, yaxis={"automargin": True},
    )  # fmt: skip
    return drawn


def _trace(bars: tuple[Bar, ...]) -> dict:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [100 * (bar.mean or 0.0) for bar in bars],
        "y": [bar.name for bar in bars],
        "error_x": {
            "array": [100 * (bar.deviation or 0.0) for bar in bars],
            "color": CHANCE,
            "thickness": 3,
            "width": 0,
        },
        "marker": {"color": [COLOURS[role_of(bar)] for bar in bars], "size": 11},
    }
