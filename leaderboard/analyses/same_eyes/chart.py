"""Accuracy by number of frames sent, with the share of clips that these frames can decide as a ceiling."""

from collections.abc import Mapping, Sequence
from math import log2

from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.exports.table import Table

Shares = Sequence[tuple[int, float]]  # number of frames, share from 0 to 1


def frames_chart(models: Mapping[str, Shares], ceiling: Shares) -> Chart:
    """A line for each of the best answerers, and one for the ceiling; frames are on a scale of powers of two."""
    best = sorted(models.items(), key=lambda one: -max((share for _frames, share in one[1]), default=0.0))
    curves = [("Decidable", ceiling), *best[: MOST - 1]]  # as many as there are looks
    rows = tuple((name, frames, round(100 * share, 1)) for name, shares in curves for frames, share in shares)
    most = max([64, *(frames for _name, shares in curves for frames, _share in shares)])
    title = "Accuracy by number of frames"
    return Chart(
        title=title,
        form=FREE,
        x=Axis(
            "Frames sent", 0, log2(most), tuple((float(power), str(2**power)) for power in range(9) if 2**power <= most)
        ),
        y=Axis("In per cent", 0, 100, PER_CENT, guess=50),
        traces=tuple(
            Trace(name, _points(shares), is_hollow=not place) for place, (name, shares) in enumerate(curves) if shares
        ),
        table=Table(title, ("Model or group", "Frames", "%"), rows),
        note="Decidable: the share of clips that differ from their twin in one of so many evenly spaced frames.",
        has_lines=True,
    )


def _points(shares: Shares) -> tuple[Point, ...]:
    return tuple(Point(log2(frames), 100 * share, f"{frames}: {100 * share:.1f} %") for frames, share in sorted(shares))
