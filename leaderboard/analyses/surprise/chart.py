"""The surprise of prediction models over the seconds of one clip, each on its own scale."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from leaderboard.charts.chart import FREE, MOST, Axis, Chart, Point, Trace
from leaderboard.exports.table import Table

Curve = tuple[str, Sequence[float], Sequence[float]]  # a name, the seconds, the surprises
BIN = 0.5  # seconds
TICKS = ((0.0, "0"), (0.5, ""), (1.0, "1"))


def press_curve(name: str, presses: Sequence[float], seconds: float) -> Curve:
    """The number of presses in each half second of the clip, placed at its middle."""
    edges = np.arange(0, seconds + BIN, BIN)
    counts = np.histogram(np.clip(presses, 0, seconds), edges)[0]
    return name, [float(edge) + BIN / 2 for edge in edges[:-1]], [float(count) for count in counts]


def surprise_chart(curves: Sequence[Curve], seconds: float, marks: Sequence[tuple[str, float]] = ()) -> Chart:
    """The curves as shares of their largest value; `marks` are vertical lines, such as the moment of a violation."""
    displayed = curves[:MOST]
    end = max([seconds, *(times[-1] for _name, times, _values in displayed)])
    rows = tuple(
        (name, round(time, 2), round(value, 4))
        for name, times, values in displayed
        for time, value in zip(times, values, strict=True)
    )
    title = "Surprise over time"
    lines = tuple(
        Trace(name, (Point(at, 0.0, f"{at:.2f} s"), Point(at, 1.0, f"{at:.2f} s")), is_hollow=True)
        for name, at in marks
    )
    return Chart(
        title=title,
        form=FREE,
        x=Axis("Seconds", 0, end, tuple((float(second), str(second)) for second in range(0, ceil(end) + 1, 2))),
        y=Axis("Surprise, share of its maximum", 0, 1, TICKS),
        traces=(*(Trace(name, _points(times, values)) for name, times, values in displayed), *lines),
        table=Table(title, ("Model or group", "Seconds", "Surprise"), rows),
        note=(
            "Each curve is divided by its own maximum: the numbers of two models have no common scale. Presses are"
            " counted in half seconds."
        ),
        has_lines=True,
        has_points=False,
    )


def _points(times: Sequence[float], values: Sequence[float]) -> tuple[Point, ...]:
    low, high = min(0.0, *values), max(values)
    width = high - low or 1.0
    return tuple(
        Point(time, (value - low) / width, f"{time:.2f} s: {value:.4g}")
        for time, value in zip(times, values, strict=True)
    )
