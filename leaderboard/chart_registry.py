"""Every chart of a board, in the order in which pages name them."""

from collections.abc import Callable

from leaderboard.address import Shelf, View
from leaderboard.charts import Chart, bias, profile, slopes
from leaderboard.people_chart import against_people

CHARTS: dict[str, Callable[[View, Shelf], Chart]] = {
    "profile": profile, "slopes": slopes, "bias": bias, "people": against_people,
}  # fmt: skip
