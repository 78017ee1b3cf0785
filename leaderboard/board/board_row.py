"""One row of a board with its cells, and who leads among rows; every page asks here who leads, and whose people models
are compared with.
"""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.board.query import View
from leaderboard.row_kinds import RowKind
from leaderboard.standings.paired_differences import Distance
from measures.figures import Interval

ABOUT = re.compile(r"about (\d+)")
BY_GROUP = "by-group"  # key of the column with the score of groups of questions, beside overall
OVERALL = "overall"  # key of the column over all questions


@dataclass(frozen=True, slots=True)
class BoardCell:
    """One figure of a board; shares are 0 to 1. A published cell has `printed`, the paper's text, and no n or p."""

    score: float | None = None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    unread: float | None = None
    chance: float | None = None
    published_text: str = ""
    note: str = ""
    yes: float | None = None
    d_prime: float | None = None
    criterion: float | None = None
    p: float | None = None  # of the test against guessing, uncorrected
    repeats: float | None = None  # share of replies that repeat the example's answer
    positive: dict[str, Any] = field(default_factory=dict)
    negative: dict[str, Any] = field(default_factory=dict)
    dimensions: dict[str, Any] = field(default_factory=dict)  # of a referee: dimension -> cell
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def has_figure(self) -> bool:
        return self.score is not None or bool(self.positive or self.negative)

    @property
    def share(self) -> float | None:
        """The score; 0.8 for "about 80", which has no place in a board's order."""
        if self.score is not None:
            return self.score
        about = ABOUT.fullmatch(self.published_text)
        return float(about[1]) / 100 if about else None

    @property
    def interval(self) -> Interval | None:
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def group(self) -> dict[str, Any] | None:
        """The score of the groups of these questions: score, n, low, high, chance, incomplete; None without."""
        return self.facts.get("group")

    @property
    def rounded_to(self) -> str:
        """The rounding step, in points, of a figure with withheld answers (decision 0012); "" if it is exact."""
        return f"{100 * step:g}" if (step := self.facts.get("step")) else ""

    @property
    def range(self) -> tuple[float, float] | None:
        """The shares between which a rounded figure lies; None if it is exact."""
        return self.range_of(self.score)

    def range_of(self, share: float | None) -> tuple[float, float] | None:
        """The same of another share of this cell, such as that of the answer yes."""
        step = self.facts.get("step")
        if not step or share is None:
            return None
        return max(0.0, round(share - step / 2, 6)), min(1.0, round(share + step / 2, 6))


@dataclass(frozen=True)
class BoardColumn:
    """One value of the facet that the board groups by."""

    key: str
    title: str
    number: int | None = None
    caution: str = ""
    chance: float | None = None
    block: str = ""
    value: str = ""  # in a block, whose key also names the block: the facet's value, "" = overall

    @property
    def is_by_group(self) -> bool:
        """Whether it shows the score of groups of questions, all together."""
        return self.key == BY_GROUP

    @property
    def is_whole(self) -> bool:
        """Whether this is the overall column, or that of a block."""
        return self.key == OVERALL or (bool(self.block) and not self.value)

    @property
    def part(self) -> str:
        """The facet's value whose questions it is about; "" = all of them."""
        return self.value if self.block else "" if self.key in (OVERALL, BY_GROUP) else self.key


OF_ALL = BoardColumn(OVERALL, "Overall")


@dataclass(frozen=True)
class ColumnBlock:
    """The columns of one strategy or one condition; `view` is the board of that block alone."""

    key: str
    title: str
    about: str
    view: View
    columns: tuple[BoardColumn, ...] = ()


@dataclass(frozen=True)
class BoardRow:
    """One answerer on one board, identified by `key` ("run-12", "trial-try-it", "published-3")."""

    key: str
    name: str
    kind: RowKind
    cells: dict[str, BoardCell]
    overall: BoardCell | None
    revision: str = ""
    note: str = ""
    link: str = ""
    made_here: bool = False
    badges: tuple[str, ...] = ()  # what staff checked of an upload: verified
    of_people: bool = False
    tier: str = ""  # of EvidenceTier; "" = simulated people
    is_baseline: bool = False  # guessing, a control, a majority answer, trained on these scenes: never the best model
    parameters: str = ""
    apart: str = ""  # settings in which it differs from rows that look alike
    rank: tuple[int, int] | None = None
    distance: Distance | None = None
    group: int | None = None  # tie group, 1 for the best
    is_tested: bool = False  # its rank comes from the test of all pairs together
    answerer: str = ""  # the same across strategies and conditions
    sampler: str = ""
    model_link: str = ""
    referee: str = ""  # whose scores are shown, "" = scored by rule, or not scored yet
    paper: str = ""  # the model's BibTeX entry, else its address
    maker: str = ""  # who made the model
    date: datetime.date | None = None  # when it was measured
    citation: str = ""  # the later paper that prints this row, with its date; '' = the benchmark's own, or no paper
    keys: Mapping[str, str] = field(default_factory=dict)  # block -> key of its row

    @property
    def title(self) -> str:
        """The name with the model's size."""
        return f"{self.name} {self.parameters}".strip()

    @property
    def short_name(self) -> str:
        """The name without what follows a comma, as sentences and narrow columns have it."""
        return self.name.partition(",")[0]

    @property
    def full_name(self) -> str:
        """The title, with what sets the row apart from others of the model."""
        return self.title + (f" ({self.apart})" if self.apart else "")

    @property
    def is_people(self) -> bool:
        """Whether people answered, or simulated people: here, or as a paper reports."""
        return self.kind.of_people or self.of_people

    @property
    def has_figure(self) -> bool:
        """Whether some cell holds a number; papers may report words only."""
        return any(cell.has_figure for cell in (self.overall, *self.cells.values()) if cell)

    def cell(self, column: str) -> BoardCell | None:
        return self.overall if column == OVERALL else self.cells.get(column)


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
