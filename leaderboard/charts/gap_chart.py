"""Chart of the best model's gap to people by column of a board, the largest first."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow, Leader, leaders, people_of
from leaderboard.board.cell_display import points
from leaderboard.charts.board_charts import table_of, trace_of
from leaderboard.charts.chart import ACROSS, PER_CENT, Axis, Chart, Point, point_of
from leaderboard.exports.table import cell_in_per_cent, in_per_cent


@dataclass(frozen=True)
class ColumnGap:
    """People's and the model's cell of one column, on the same questions."""

    column: BoardColumn
    people: BoardCell
    model: BoardCell

    @property
    def value(self) -> float | None:
        """Model minus people, -1 to 1; None if one of the two is rounded."""
        if self.model.range or self.people.range:
            return None
        return (self.model.score or 0.0) - (self.people.score or 0.0)


def gap_chart(board: Board) -> Chart:
    """People and the best model by value of the board's facet; without traces where they share no questions."""
    view = board.view
    facet = view.benchmark.facet(view.group).title
    people, leader = people_of(board.pinned).here, leader_beside_people(board)
    rows = (people, leader.row) if people and leader else ()
    found = column_gaps(board, *rows) if rows else []
    heads = (facet, "People %", "Model %", "Gap in points", "n")
    body = tuple(
        (
            one.column.title,
            cell_in_per_cent(one.people),
            cell_in_per_cent(one.model),
            in_per_cent(one.value),
            one.people.n,
        )
        for one in found
    )
    return Chart(
        title=f"{view.benchmark.title}: gap to people by {facet.lower()}, largest first",
        form=ACROSS,
        x=Axis("Accuracy in per cent", 0, 100, PER_CENT, None if board.chance is None else 100 * board.chance),
        y=Axis("", -0.5, len(found) - 0.5, tuple((place, _tick(one)) for place, one in enumerate(found))),
        traces=tuple(trace_of(row, _points(row, found)) for row in rows),
        table=table_of(board, rows, heads, body),
        note=_note(leader),
    )


def leader_beside_people(board: Board) -> Leader | None:
    """The leader of the models that answered the very questions of people; None without such a model."""
    people = people_of(board.pinned).here
    if people is None:
        return None
    return leaders(row for row in board.ranked if row.distance and column_gaps(board, people, row)).here


def column_gaps(board: Board, people: BoardRow, model: BoardRow) -> list[ColumnGap]:
    """The columns in which both have a figure over the same number of questions, the largest gap first."""
    both = (
        ColumnGap(column, people.cells[column.key], model.cells[column.key])
        for column in board.columns
        if column.key in people.cells and column.key in model.cells
    )
    return sorted((one for one in both if _is_shared(one)), key=lambda one: (one.value is None, one.value or 0.0))


def _is_shared(one: ColumnGap) -> bool:
    return None not in (one.people.score, one.model.score) and one.people.n == one.model.n


def _points(row: BoardRow, found: Sequence[ColumnGap]) -> list[Point]:
    return [point_of(row.cells[one.column.key], place, one.column.title) for place, one in enumerate(found)]


def _tick(one: ColumnGap) -> str:
    return one.column.title if one.value is None else f"{points(one.value)} {one.column.title}"


def _note(leader: Leader | None) -> str:
    if leader is None:
        return "No people and no model answered the same questions in this view."
    named = f"{leader.sentence[:1].upper()}{leader.sentence[1:]}"
    return f"{named}, on the same questions as people. Numbers are its points minus people's; lines are 95 % intervals."
