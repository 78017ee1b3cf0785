"""People and models on the same items, drawn."""

from dataclasses import replace

from leaderboard import beside_people
from leaderboard.address import Shelf, View
from leaderboard.charts import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.provenance import of_view
from leaderboard.rows import board_of
from leaderboard.tables import Table


def of_pairs(table: Table, title: str, who: str = "People") -> Chart:
    """People across, models upwards: a point a test, from a table of people and models (beside_people.py)."""
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    by_model: dict[str, list[Point]] = {}
    for row in rows:
        if row["Test"] != "overall":
            people, model = float(row["People %"] or 0), float(row["Model %"] or 0)
            points = by_model.setdefault(f"{row['Model']}, {row['Strategy']}", [])
            points.append(Point(people, model, f"{row['Test']} people {people:.1f} %, model {model:.1f} %"))
    return Chart(
        title=title,
        form=FREE,
        x=Axis(f"{who}, accuracy in per cent", 0, 100, PER_CENT),
        y=Axis("Models, accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(Trace(name, tuple(points)) for name, points in list(by_model.items())[:MOST]),
        table=table,
        note=f"A point a test, {min(MOST, len(by_model))} of {len(by_model)} models; below the line people are better.",
        has_diagonal=True,
    )


def against_people(view: View, shelf: Shelf) -> Chart:
    """The best models of the view beside its people, on the items that both answered."""
    board = board_of(view)
    rows = (*board.pinned[:1], *board.ranked[:MOST])
    title = f"{view.benchmark.title}: people and models on the same items"
    if not board.pinned:
        return of_pairs(Table(title, beside_people.HEADS, ()), title)
    people, *models = rows
    pairs = beside_people.of_view(view, people, models, [column.key for column in board.columns])
    return of_pairs(replace(pairs, provenance=of_view(view, rows)), title, people.name)
