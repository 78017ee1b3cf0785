"""Distributions of questions and clips, as panels of bars."""

from benchmarks.gallery.distributions import DistributionPanel, QuestionSpread
from leaderboard.charts.chart import LISTED, Axis, Chart, Panels, Point, Trace
from leaderboard.exports.table import Table

WIDTH = 450


def panels_of(spread: QuestionSpread) -> Panels:
    """Panels with a bar chart for each distribution."""
    return Panels(spread.title, tuple(_chart(panel) for panel in spread.panels), spread.note)


def _chart(panel: DistributionPanel) -> Chart:
    points = tuple(
        Point(count, place, f"{what} {count}", value=str(count)) for place, (what, count) in enumerate(panel.bars)
    )
    ticks = tuple((place, what) for place, (what, _) in enumerate(panel.bars))
    return Chart(
        title=panel.title,
        form=LISTED,
        x=Axis("", 0, max((count for _, count in panel.bars), default=1), ()),
        y=Axis("", -0.5, len(ticks) - 0.5, ticks),
        traces=(Trace(panel.title, points),),
        table=Table(panel.title, ("What", "How many"), panel.bars),
        has_bars=True,
        width=WIDTH,
    )
