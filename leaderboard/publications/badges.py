"""A badge of a board's row, or of its best model: a small SVG that claims what the board does, and no rank besides."""

from dataclasses import dataclass

from django.template.loader import render_to_string

from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardRow, leaders, people_of
from leaderboard.board.cell_display import figure, rank_text
from leaderboard.charts.rendering.letters import width_of

SIZE, ROOM, HEIGHT = 12, 8, 24  # of letters, beside a text, and of the badge, in px
SHARE = SIZE / 13  # `width_of` measures letters of 13


@dataclass(frozen=True)
class Badge:
    """Whose badge it is, and what it says."""

    label: str
    value: str

    @property
    def title(self) -> str:
        return f"{self.label}: {self.value}"

    @property
    def left(self) -> int:
        return round(width_of(self.label) * SHARE) + 2 * ROOM

    @property
    def right(self) -> int:
        return round(width_of(self.value) * SHARE) + 2 * ROOM

    @property
    def width(self) -> int:
        return self.left + self.right

    @property
    def svg(self) -> str:
        context = {"badge": self, "size": SIZE, "room": ROOM, "height": HEIGHT, "end": self.left + ROOM}
        return render_to_string("leaderboard/badge.svg", context)


def badge_of_board(board: Board, title: str, day: str) -> Badge:
    """The board's best model here, else in papers, else people, with its figure."""
    found = leaders(board.rows)
    row = next((one.row for one in (found.here, found.reported) if one), None) or people_of(board.rows).row
    if row is None:
        return Badge(title, board.hidden or "no model tested yet")
    return Badge(title, f"{row.short_name}: {_words(board, row, day)}")


def badge_of_row(board: Board, row: BoardRow, title: str, day: str) -> Badge:
    """The row's range of ranks where it has one, its figure, and where the figure comes from."""
    return Badge(f"{row.short_name} · {title}", _words(board, row, day))


def _words(board: Board, row: BoardRow, day: str) -> str:
    ranked = sum(one.rank is not None for one in board.ranked)
    parts = [f"rank {rank_text(row)} of {ranked}" if row.rank and ranked > 1 else ""]
    has_figure = row.overall is not None and (row.overall.score is not None or row.overall.published_text)
    unit = " of maximum" if board.view.level.dimensions else ""
    parts.append(f"{figure(row.overall)}{unit}" if row.overall and has_figure else board.hidden or "no overall figure")
    parts += ["baseline" if row.is_baseline else "", "" if row.kind.is_evaluated else row.kind.words]
    parts.append(day if row.kind.is_ours else "")
    return ", ".join(filter(None, parts))
