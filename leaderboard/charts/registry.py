"""All charts of a board by name, in the order of the pages."""

from collections.abc import Callable

from leaderboard.board.assemble import Board
from leaderboard.charts.board_charts import against_people, bias, profile, slopes
from leaderboard.charts.chart import Chart
from leaderboard.charts.gap_chart import gap_chart

CHARTS: dict[str, Callable[[Board], Chart]] = {
    "gaps": gap_chart,
    "profile": profile,
    "slopes": slopes,
    "bias": bias,
    "people": against_people,
}
