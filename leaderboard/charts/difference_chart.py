"""Chart of the differences between a row and others, paired by item, overall and by facet value."""

from collections.abc import Sequence
from math import ceil

from leaderboard.board.cell_display import between, points
from leaderboard.charts.chart import ACROSS, Axis, Chart, Point, Trace
from leaderboard.comparison.report import ComparisonReport
from leaderboard.exports.table import Table
from leaderboard.standings.paired_differences import Difference

STEP = 25  # points between ticks; the axis ends at one


def difference_chart(reports: Sequence[ComparisonReport], table: Table) -> Chart:
    """First minus each other row in points, with 95 % intervals, on one axis around 0."""
    titles = {"": "Overall"} | {group.value: group.title for report in reports for group in report.groups}
    end = _end_of(reports)
    ticks = tuple((value, f"{value:+d}".replace("-", "−").replace("+0", "0")) for value in _steps(end))
    first = reports[0].first.name_beside(reports[0].second)
    return Chart(
        title=f"{first} minus {_others(reports)}, by {reports[0].facet.title.lower()}",
        form=ACROSS,
        x=Axis(f"Difference in points, right of 0: {first} is better", -end, end, ticks, 0),
        y=Axis("", -0.5, len(titles) - 0.5, tuple(enumerate(titles.values()))),
        traces=tuple(_trace(one, list(titles)) for one in reports),
        table=table,
        note="Lines are 95 % intervals; one that crosses 0 does not separate the rows.",
    )


def _others(reports: Sequence[ComparisonReport]) -> str:
    if len(reports) == 1:
        return reports[0].second.name_beside(reports[0].first)
    return f"{len(reports)} others"


def _differences(one: ComparisonReport) -> dict[str, Difference]:
    """Facet value -> difference, "" for all items."""
    return {"": one.overall} | {group.value: group.difference for group in one.groups}


def _end_of(reports: Sequence[ComparisonReport]) -> int:
    """The smallest multiple of 25 points that holds every interval."""
    bounds = [one.interval for each in reports for one in _differences(each).values()]
    widest = max(max(-bound.low, bound.high) for bound in bounds)
    return max(STEP, STEP * ceil(round(100 * widest, 6) / STEP))


def _steps(end: int) -> range:
    return range(-end, end + 1, STEP if end <= 2 * STEP else 2 * STEP if end % (2 * STEP) == 0 else end)


def _trace(one: ComparisonReport, places: Sequence[str]) -> Trace:
    found = _differences(one)
    points_of = (_point(found[value], place) for place, value in enumerate(places) if value in found)
    return Trace(f"{one.second.name}, {one.second.setting}", tuple(points_of))


def _point(found: Difference, place: int) -> Point:
    low, high = 100 * found.interval.low, 100 * found.interval.high
    ends = between(points(found.interval.low), points(found.interval.high))
    text = f"{points(found.value)} points ({ends}), n {found.n}"
    return Point(100 * found.value, place, text, low, high)
