"""Who leads a board or one of its columns, and whose people models are compared with; every page asks here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.board.assemble import BoardCell, BoardRow

OVERALL = "overall"


@dataclass(frozen=True)
class Leader:
    """The best model of a group of rows; `words` say how its figure came about, "best" never stands alone."""

    row: BoardRow
    words: str
    tied_with: tuple[BoardRow, ...] = ()  # other rows with the same figure

    @property
    def sentence(self) -> str:
        """The words with the leader's name."""
        tied = f", with {len(self.tied_with)} more" if self.tied_with else ""
        return f"{self.words}: {self.row.title}{tied}"


@dataclass(frozen=True)
class Leaders:
    """The best model that this site scored, and the best one that papers report."""

    here: Leader | None = None
    reported: Leader | None = None

    def of(self, row: BoardRow) -> Leader | None:
        """The leader that this row is."""
        return next((one for one in (self.here, self.reported) if one and one.row.key == row.key), None)


NOBODY = Leaders()


@dataclass(frozen=True)
class People:
    """Rows of people: the largest study of this site, and the first that papers report."""

    here: BoardRow | None = None
    reported: BoardRow | None = None

    @property
    def row(self) -> BoardRow | None:
        return self.here or self.reported


def may_lead(row: BoardRow) -> bool:
    """Whether the row is a model's: neither people nor a baseline."""
    return not (row.kind.of_people or row.of_people or row.is_baseline)


def leaders(rows: Iterable[BoardRow], column: str = OVERALL) -> Leaders:
    """The best models of these rows by their figure in this column."""
    able = [row for row in rows if may_lead(row) and share_of(row.cell(column)) is not None]
    return Leaders(
        here=_leader([row for row in able if row.kind.is_ours], column),
        reported=_leader([row for row in able if not row.kind.is_ours], column),
    )


def _leader(rows: Sequence[BoardRow], column: str) -> Leader | None:
    if not rows:
        return None
    first, *others = sorted(rows, key=lambda row: order_of(row, column))
    tied = tuple(row for row in others if share_of(row.cell(column)) == share_of(first.cell(column)))
    words = f"{'best' if others else 'only'} model {first.kind.words}"
    return Leader(first, words, tied)


def order_of(row: BoardRow, column: str = OVERALL) -> tuple[float, bool, str, str]:
    """Sorts models best first: of equal figures, those evaluated here come first, then by name."""
    return (-(share_of(row.cell(column)) or 0.0), not row.kind.is_evaluated, row.title.casefold(), row.key)


def people_of(rows: Iterable[BoardRow], column: str = OVERALL) -> People:
    """The people with whom this column's models are compared: the best of several studies would flatter them."""
    able = [row for row in rows if share_of(row.cell(column)) is not None]
    here = [row for row in able if row.kind.is_measured_people]
    return People(
        here=min(here, key=lambda row: (-(_cell_n(row, column)), row.key), default=None),
        reported=next((row for row in able if row.of_people), None),
    )


def _cell_n(row: BoardRow, column: str) -> int:
    cell = row.cell(column)
    return (cell.n if cell else None) or 0


def share_of(cell: BoardCell | None) -> float | None:
    """The cell's share from 0 to 1; None without a figure."""
    return cell.share if cell else None
