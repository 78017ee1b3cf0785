"""A board's profile as lanes: a strip for each column with a line for each row, and the figures beside it."""

from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from benchmarks.strips import StripPoint, strip
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OF_ALL, BoardColumn, BoardRow, share_of
from leaderboard.board.cell_display import score_text, spread
from leaderboard.board.overviews.people_and_models import Side, key_of_strips
from leaderboard.board.strip_points import key_of_mark

MOST = 8  # rows: more would not be told apart
COLOURS = ("f1", "f2", "f3")  # of models; further ones are told apart by their place alone


@dataclass(frozen=True)
class LaneValue:
    """A row's figure in words, in the colour of its line."""

    name: str
    figure: str
    ends: str
    look: str


@dataclass(frozen=True)
class Lane:
    """One column: its drawing and its figures, in the same order."""

    title: str
    n: int | None
    drawing: SafeString
    values: tuple[LaneValue, ...]

    @property
    def height(self) -> str:
        """The CSS class for so many lines."""
        return f"rows-{max(4, len(self.values))}"


def chart_lanes(board: Board) -> dict:
    """Template context of the lanes of a board's people and first models, and of their key."""
    rows = [*board.people_of_papers, *board.pinned, *board.ranked, *board.of_the_paper, *board.of_later_papers]
    columns = [one for one in board.page_columns if not one.is_by_group]
    used = [row for row in rows if any(_has_score(row, column) for column in columns)]
    if not used:
        columns = [replace(OF_ALL, chance=board.chance)]
        used = [row for row in rows if share_of(row.overall) is not None]
    chosen = used[:MOST]
    looks = set(map(key_of_mark, chosen))
    lanes = [_lane(column, chosen) for column in columns if any(_has_score(row, column) for row in chosen)]
    has_chance = any(column.chance is not None for column in columns)
    return {"lanes": lanes, "keys": key_of_strips(looks, has_chance=has_chance), "more_rows": len(used) - len(chosen)}


def _has_score(row: BoardRow, column: BoardColumn) -> bool:
    return share_of(row.cell(column.key)) is not None


def _lane(column: BoardColumn, rows: list[BoardRow]) -> Lane:
    marks: list[StripPoint] = []
    values: list[LaneValue] = []
    models = [row for row in rows if not row.is_people]
    for row in rows:
        cell = row.cell(column.key)
        if cell is None or share_of(cell) is None:
            continue
        side, place = Side(row, cell), models.index(row) if row in models else -1
        own = COLOURS[place] if 0 <= place < len(COLOURS) else ""
        mark = replace(side.mark(), label="")
        marks.append(replace(mark, look=own) if own and side.look in ("", "base") else mark)
        text = cell.published_text or score_text(cell)
        look = f"c{place + 1}" if own else "c4" if row.kind.is_simulated else "people" if row.is_people else "quiet"
        values.append(LaneValue(row.short_name, text, spread(cell.low, cell.high), look))
    chance = None if column.chance is None else 100 * column.chance
    counts = [cell.n for row in rows if (cell := row.cell(column.key)) and cell.n]
    return Lane(column.title, max(counts, default=None), strip(marks, chance, is_apart=True), tuple(values))
