"""Writers of figures: SVG, PNG and PDF of the drawing in the light theme's colours, HTML of the Plotly figure."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from leaderboard.charts.rendering.drawing import titled
from leaderboard.charts.rendering.looks import LIGHT, colours
from leaderboard.charts.rendering.shapes import Drawing

if TYPE_CHECKING:
    from types import ModuleType

    from plotly.graph_objects import Figure

TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
FORMATS = (*TYPES, "html")
SCALE = 2  # pixels of a PNG per drawing unit
VARIABLE = re.compile(r"var\(--([\w-]+)\)")


class NoCairo(RuntimeError):
    """The system library cairo, which PNG and PDF need, is missing."""


def file_of(drawing: Drawing, wanted: str, plotly: "Figure | None" = None) -> bytes:
    """The figure in one of FORMATS; NoCairo if PNG or PDF is requested and cairo is missing."""
    if wanted == "html":
        return html_of(drawing, plotly)
    svg = svg_of(drawing)
    if wanted == "svg":
        return svg
    if wanted == "png":
        return _cairo().svg2png(svg, scale=SCALE)
    return _cairo().svg2pdf(svg)


def svg_of(drawing: Drawing) -> bytes:
    """A self-contained SVG file with title and colours."""
    context = {"drawing": titled(drawing), "is_file": True}
    return light(render_to_string("leaderboard/parts/chart.svg", context)).encode()


def html_of(drawing: Drawing, plotly: "Figure | None") -> bytes:
    """An HTML file that works offline: the Plotly figure, or the drawing if there is none."""
    context: dict[str, Any] = {"title": drawing.title}
    if plotly is None:
        context["svg"] = svg_of(drawing).decode()
    else:
        context["figure"] = {LIGHT: plotly.to_plotly_json()}
        context["height"] = plotly.layout.height or drawing.height
        context["scripts"] = [_static("vendor/plotly-basic-4.1.1.min.js"), _static("js/plot-mount.js")]
    return render_to_string("leaderboard/interactive_file.html", context).encode()


def light(text: str) -> str:
    """The text with CSS variables replaced by the light theme's values, as print needs."""
    return VARIABLE.sub(lambda found: colours(LIGHT).get(found[1], found[0]), text)


def _static(name: str) -> str:
    return Path(str(finders.find(name))).read_text()


def _cairo() -> "ModuleType":
    try:
        import cairosvg
    except OSError as error:
        raise NoCairo("PNG and PDF need cairo, which is not installed: apt-get install libcairo2") from error
    return cairosvg
