"""All charts of a board by name, in the order of the pages."""

from collections.abc import Callable

from leaderboard.board.query import AvailablePacks, View
from leaderboard.charts.board_charts import against_people, bias, profile, slopes
from leaderboard.charts.chart import Chart
from leaderboard.charts.gap_chart import human_gap_chart

CHARTS: dict[str, Callable[[View, AvailablePacks], Chart]] = {
    "gaps": human_gap_chart,
    "profile": profile,
    "slopes": slopes,
    "bias": bias,
    "people": against_people,
}
