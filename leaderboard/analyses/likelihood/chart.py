"""The calibration curve: the mean probability of yes in each bin against the share of yes among the right answers."""

from collections.abc import Sequence
from typing import Any

from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.exports.table import Table

Curve = tuple[str, Sequence[dict[str, Any]]]  # a name and its bins, as stored


def calibration_chart(curves: Sequence[Curve]) -> Chart:
    """The curves of the first answerers; a perfectly calibrated one lies on the diagonal."""
    rows = tuple(
        (name, round(100 * one["start"]), round(100 * one["end"]), one["n"], *_shares(one))
        for name, bins in curves
        for one in bins
    )
    title = "Calibration"
    heads = ("Model or group", "From %", "To %", "n", "Mean probability %", "Answer is yes %")
    return Chart(
        title=title,
        form=FREE,
        x=Axis("Probability of yes, in per cent", 0, 100, PER_CENT),
        y=Axis("Answer is yes, in per cent", 0, 100, PER_CENT),
        traces=tuple(Trace(name, tuple(map(_point, bins))) for name, bins in curves[:MOST]),
        table=Table(title, (*heads, "low", "high"), rows),
        note="Ten bins; those without answers are left out. On the diagonal, probabilities are calibrated."
        + (f" The first {MOST} are drawn." if len(curves) > MOST else ""),
        has_lines=True,
        has_diagonal=True,
    )


def _shares(one: dict[str, Any]) -> tuple[float, ...]:
    shares = (one["probability"], one["share"], one["interval"]["low"], one["interval"]["high"])
    return tuple(round(100 * share, 1) for share in shares)


def _point(one: dict[str, Any]) -> Point:
    across, up, low, high = _shares(one)
    return Point(across, up, f"{across:g} %: {up:g} % ({one['n']})", low, high, count=one["n"])
