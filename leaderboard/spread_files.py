"""A figure of several panels as a file: our own drawing as SVG, Plotly's as PNG, PDF and HTML."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.loader import render_to_string

from benchmarks.spreads import Panel, Spread
from leaderboard.figure_files import CHANCE, FONT, INK, html_of, picture_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

ACROSS, WIDTH, GAP, HEAD, ROW, LABEL, NUMBER = 2, 440, 24, 34, 17, 200, 50  # the drawing's own units
LONGEST = 32  # letters that fit before a bar


@dataclass(frozen=True)
class DrawnBar:
    """A bar in the drawing's units."""

    y: float
    text: str
    whole: str
    count: int
    width: float


@dataclass(frozen=True)
class DrawnPanel:
    x: float
    y: float
    title: str
    bars: tuple[DrawnBar, ...]


@dataclass(frozen=True)
class Drawing:
    width: int
    height: int
    label: int
    panels: tuple[DrawnPanel, ...]


def drawing_of(spread: Spread) -> Drawing:
    """Panels two abreast, each pair as high as its higher one."""
    panels = list(_placed(spread))
    bottom = max((panel.y + HEAD + ROW * max(1, len(panel.bars)) for panel in panels), default=HEAD)
    return Drawing(ACROSS * WIDTH + (ACROSS - 1) * GAP + 24, int(bottom + GAP), LABEL, tuple(panels))


def _placed(spread: Spread) -> Iterator[DrawnPanel]:
    y = 44.0
    for start in range(0, len(spread.panels), ACROSS):
        pair = spread.panels[start : start + ACROSS]
        for place, panel in enumerate(pair):
            yield DrawnPanel(12 + place * (WIDTH + GAP), y, panel.title, tuple(_bars(panel)))
        y += HEAD + ROW * max(1, *(len(panel.bars) for panel in pair)) + GAP


def _bars(panel: Panel) -> Iterator[DrawnBar]:
    most = max((count for _, count in panel.bars), default=1) or 1
    for row, (what, count) in enumerate(panel.bars):
        text = what if len(what) <= LONGEST else what[: LONGEST - 1].rstrip() + "…"
        width = (WIDTH - LABEL - NUMBER) * count / most
        yield DrawnBar(HEAD - 12 + ROW * row, text, what, count, round(width, 1))


def as_svg(spread: Spread) -> bytes:
    """A file that stands alone: it carries its own colours."""
    context = {"spread": spread, "drawing": drawing_of(spread)}
    return render_to_string("leaderboard/parts/spread.svg", context).encode()


def plotly_figure(spread: Spread) -> "PlotlyFigure":
    """The panels in Plotly's terms, one above the other."""
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    titles = [panel.title for panel in spread.panels]
    drawn = make_subplots(
        rows=len(titles), cols=1, subplot_titles=titles, vertical_spacing=0.4 / max(1, len(titles)) ** 1.5
    )
    for row, panel in enumerate(spread.panels, 1):
        names, counts = [what for what, _ in panel.bars], [count for _, count in panel.bars]
        drawn.add_trace(go.Bar(x=counts, y=names, orientation="h", marker={"color": CHANCE}), row=row, col=1)
        drawn.update_yaxes(autorange="reversed", automargin=True, type="category", row=row, col=1)
    height = 120 + sum(70 + 20 * len(panel.bars) for panel in spread.panels)
    drawn.update_layout(
        title=spread.title, width=800, height=height, showlegend=False, plot_bgcolor="white", paper_bgcolor="white",
        font={"family": FONT, "color": INK},
    )  # fmt: skip
    return drawn


WRITERS: dict[str, Callable[[Spread], bytes]] = {
    "svg": as_svg,
    "png": lambda spread: picture_of(plotly_figure(spread), "png"),
    "pdf": lambda spread: picture_of(plotly_figure(spread), "pdf"),
    "html": lambda spread: html_of(plotly_figure(spread)),
}
