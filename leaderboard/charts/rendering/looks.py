"""Looks of traces: a mark and a tone each, the same on the page, in files and in the Plotly figure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.chart import LISTED, Chart, Trace

# Plotly's name of a mark -> its outline in drawing units, centred on (0, 0).
MARKS = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
    "square": "M-4 -4H4V4H-4Z",
    "diamond": "M0 -5L5 0L0 5L-5 0Z",
    "triangle-up": "M0 -5L5 4H-5Z",
    "triangle-down": "M0 5L5 -4H-5Z",
    "cross": "M-5 -1.5H-1.5V-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5Z",
    "x": "M-4.5 -2.5L-2.5 -4.5L0 -2L2.5 -4.5L4.5 -2.5L2 0L4.5 2.5L2.5 4.5L0 2L-2.5 4.5L-4.5 2.5L-2 0Z",
}
LIGHT, DARK = THEMES = ("light", "dark")
PEOPLE = "diamond"
OF_MODELS = tuple(name for name in MARKS if name != PEOPLE)
SIZE = 9  # width of a mark in drawing units
# A shape -> its attributes in SVG; `own` is its tone. Pages have no style sheet for them, so files need none either.
PAINTS = {
    "point": 'fill="own"',
    "hollow": 'fill="var(--raised)" stroke="own" stroke-width="2"',
    "spread": 'stroke="own" stroke-width="3" opacity=".4"',
    "range": 'stroke="own" stroke-width="8" opacity=".7"',
    "join": 'stroke="own" stroke-width="1.5"',
    "bar": 'fill="own"',
    "band": 'fill="own" opacity=".1"',
    "grid": 'stroke="var(--rule)"',
    "guess": 'stroke="var(--chance)" stroke-dasharray="4 3"',
    "text": 'fill="own"',
    "head": 'fill="own" font-weight="600"',
}
SMALLEST, LARGEST = 6, 28  # width of marks whose area shows a number of items


@dataclass(frozen=True)
class TraceLook:
    """A mark by Plotly's name, and a tone by its variable in static/css/site.css."""

    symbol: str
    tone: str
    is_hollow: bool = False

    @property
    def outline(self) -> str:
        return MARKS[self.symbol]


def looks_of(chart: Chart) -> list[TraceLook]:
    """The look of each trace: a diamond for people, a disc in lists, a mark and tone of its own for each model."""
    looks, models = [], 0
    for trace in chart.traces:
        if trace.of_people or trace.is_simulated or chart.form == LISTED:
            of_people = trace.of_people or trace.is_simulated
            looks.append(TraceLook(PEOPLE if of_people else "circle", _tone(chart, trace), trace.is_hollow))
        else:
            # Marks and tones differ together, for print and for colour-blind readers.
            number = models % len(OF_MODELS)
            looks.append(TraceLook(OF_MODELS[number], f"tone-{number + 1}", trace.is_hollow))
            models += 1
    return looks


def _tone(chart: Chart, trace: Trace) -> str:
    if trace.of_people:
        return "human"
    if trace.is_simulated:
        return "quiet"
    return "chance" if chart.has_bars else "model"


def sizes_of(trace: Trace) -> list[float]:
    """Width of each mark; its area grows with the items if points stand for several."""
    most = max((point.count for point in trace.points), default=1)
    if most == 1:
        return [float(SIZE)] * len(trace.points)
    return [round(SMALLEST + (LARGEST - SMALLEST) * (point.count / most) ** 0.5, 1) for point in trace.points]


@cache
def paint(look: str) -> SafeString:
    """The attributes of a look: the kind of shape, its tone (that of ink, if none), and whether it is hollow."""
    what, *words = look.split()
    kind = next((word for word in words if word in PAINTS), what)
    tone = next((word for word in words if word not in PAINTS), "ink")
    return mark_safe(PAINTS[kind].replace("own", f"var(--{tone})"))  # noqa: S308  # constants alone # nosec B308, B703


@cache
def colours(theme: str) -> Mapping[str, str]:
    """Name -> value of the CSS variables in static/css/site.css, where the dark theme states those that differ."""
    sheet = Path(str(finders.find("css/site.css"))).read_text()
    light, dark, *_print = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    return dict(re.findall(r"--([\w-]+): ([^;]+);", light + (dark if theme == DARK else "")))
