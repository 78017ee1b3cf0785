"""Scatter charts of people and models on the same items."""

from dataclasses import replace

from leaderboard.board.query import AvailablePacks, View
from leaderboard.board.rows import board_of
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.comparison import human_vs_model
from leaderboard.comparison.human_vs_model import BY_GROUP
from leaderboard.exports.provenance import of_view
from leaderboard.exports.table import Table


def of_pairs(table: Table, title: str, who: str = "") -> Chart:
    """People on x, models on y, with a point for each test, from a table of human_vs_model.py."""
    by_model: dict[str, list[Point]] = {}
    for row, words in zip(table.rows, table.display_rows, strict=True):
        name, _kind, strategy, _condition, test, *_figures = words
        figures = dict(zip(table.heads, row, strict=True))
        if figures["Test"] not in ("overall", BY_GROUP):
            people, model = float(figures["People %"] or 0), float(figures["Model %"] or 0)
            points = by_model.setdefault(f"{name}, {strategy}", [])
            points.append(Point(people, model, _in_words(test, people, model)))
    return Chart(
        title=title,
        form=FREE,
        x=Axis(f"{who or 'People'}, accuracy in per cent", 0, 100, PER_CENT),
        y=Axis("Models, accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(Trace(name, tuple(points)) for name, points in list(by_model.items())[:MOST]),
        table=table,
        note=f"One point per test, {min(MOST, len(by_model))} of {len(by_model)} models;"
        " below the line people are better.",
        has_diagonal=True,
    )


def _in_words(test: str, people: float, model: float) -> str:
    figures = {"test": test, "people": f"{people:.1f}", "model": f"{model:.1f}"}
    return "{test} people {people} %, model {model} %".format(**figures)


def against_people(view: View, available: AvailablePacks) -> Chart:
    """Scatter chart of the view's best models against its people, on the items that both answered."""
    board = board_of(view)
    rows = (*board.pinned[:1], *board.ranked[:MOST])
    title = f"{view.benchmark.title}: people and models on the same items"
    if not board.pinned:
        return of_pairs(human_vs_model.without_rows(title), title)
    people, *models = rows
    pairs = human_vs_model.of_view(view, people, models, [column.key for column in board.columns])
    return of_pairs(replace(pairs, provenance=of_view(view, rows)), title, people.name)
