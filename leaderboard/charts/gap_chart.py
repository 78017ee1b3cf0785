"""Chart of the best model's gap to people by column of a board, the largest first."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.board.assemble import Board, BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import points
from leaderboard.board.query import AvailablePacks, View
from leaderboard.board.rows import board_of, most_questions
from leaderboard.charts.board_charts import point_across, score_of, table_of, trace_of
from leaderboard.charts.chart import ACROSS, PER_CENT, Axis, Chart, Point
from leaderboard.exports.table import full_name, in_per_cent


@dataclass(frozen=True)
class ColumnGap:
    """People's and the model's cell of one column, on the same questions."""

    column: BoardColumn
    people: BoardCell
    model: BoardCell

    @property
    def value(self) -> float:
        """Model minus people, -1 to 1."""
        return (self.model.score or 0.0) - (self.people.score or 0.0)


def human_gap_chart(view: View, available: AvailablePacks) -> Chart:
    """Chart of people and the best model by value of the board's facet."""
    return gap_chart(board_of(view))


def gap_chart(board: Board) -> Chart:
    """The gaps of a board that is assembled already; without traces where people and models share no questions."""
    view = board.view
    facet = view.benchmark.facet(view.group).title
    rows = compared_rows(board)
    found = column_gaps(board, *rows) if rows else []
    heads = (facet, "People %", "Model %", "Gap in points", "n")
    body = tuple(
        (
            one.column.title,
            in_per_cent(one.people.score),
            in_per_cent(one.model.score),
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
        note=_note(rows),
    )


def compared_rows(board: Board) -> tuple[BoardRow, ...]:
    """The people with the most questions and the best model with exactly these; () without such a pair."""
    people = most_questions(row for row in board.pinned if row.kind == "human" and row.overall)
    able = [row for row in board.ranked if people and row.distance and not row.is_baseline and row.overall]
    for row in sorted(able, key=score_of, reverse=True):  # the board may be sorted differently
        if people and column_gaps(board, people, row):
            return people, row
    return ()


def column_gaps(board: Board, people: BoardRow, model: BoardRow) -> list[ColumnGap]:
    """The columns in which both have a figure over the same number of questions, the largest gap first."""
    both = (
        ColumnGap(column, people.cells[column.key], model.cells[column.key])
        for column in board.columns
        if column.key in people.cells and column.key in model.cells
    )
    return sorted((one for one in both if _is_shared(one)), key=lambda one: one.value)


def _is_shared(one: ColumnGap) -> bool:
    return None not in (one.people.score, one.model.score) and one.people.n == one.model.n


def _points(row: BoardRow, found: Sequence[ColumnGap]) -> list[Point]:
    points = (point_across(place, one.column.title, row.cells[one.column.key]) for place, one in enumerate(found))
    return [point for point in points if point]


def _tick(one: ColumnGap) -> str:
    return f"{points(one.value)} {one.column.title}"


def _note(rows: tuple[BoardRow, ...]) -> str:
    if not rows:
        return "No people and no model answered the same questions in this view."
    return (
        f"{full_name(rows[1])} is the best model on the same questions as people."
        " Numbers are its points minus people's; lines are 95 % intervals."
    )
