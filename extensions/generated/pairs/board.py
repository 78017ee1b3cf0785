"""The board of votes: strengths with intervals and ranks, win rates of every pair, and what the votes can't support."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.pairs.vote_files import BOTH_BAD, EQUAL, VoteTable
from measures.estimate import Strengths, UnconnectedError, VoteFinding, audit_votes, ranks, strengths_of
from measures.figures import Interval, Rank

POINTS = 400 / np.log(10)  # of strength for one unit of log-odds


@dataclass(frozen=True)
class StrengthRow:
    """A row: strengths are 1000 on average, and 100 points more are odds of 64 to 36."""

    name: str
    value: float
    interval: Interval | None
    rank: Rank
    votes: int

    @property
    def ranks(self) -> str:
        """Every rank that the row can have: 2–4, or 1."""
        return str(self.rank.best) if self.rank.best == self.rank.worst else f"{self.rank.best}–{self.rank.worst}"


@dataclass(frozen=True)
class PairCell:
    """The row's votes against the column; `share` counts equal and both bad as half. None: never shown together."""

    share: float | None
    wins: int
    equal: int
    both_bad: int
    losses: int
    mark: str  # ▲ above the column, ▼ below, by the test over all pairs; "" if neither


class PairsBoard:
    """Strengths, best first. Rows that were never compared, even by way of others, have none (`apart`)."""

    def __init__(self, table: VoteTable) -> None:
        self.table = table
        self.apart: list[list[str]] = []
        try:
            self.fit: Strengths | None = strengths_of(table.votes)
        except UnconnectedError as unconnected:
            self.fit = None
            self.apart = [[table.generators[row] for row in group] for group in unconnected.groups]

    @cached_property
    def order(self) -> list[int]:
        """The rows' places, the strongest first."""
        if self.fit is None:
            return list(range(len(self.table.generators)))
        return [int(row) for row in np.argsort(-self.fit.strengths, kind="stable")]

    @cached_property
    def rows(self) -> list[StrengthRow]:
        if self.fit is None:
            return []
        ratings, votes = self.fit.ratings, self.table.votes
        counts = np.bincount(np.concatenate([votes.first, votes.second]), minlength=votes.rows)
        found = ranks(ratings.below, ratings.values.tolist())
        return [
            StrengthRow(
                self.table.generators[row],
                float(ratings.values[row]),
                ratings.of_row(row),
                found[row],
                int(counts[row]),
            )
            for row in self.order
        ]

    @property
    def first_place(self) -> tuple[float, Interval | None]:
        """The points of strength that being shown first is worth."""
        if self.fit is None:
            return 0.0, None
        interval = self.fit.rows.of_row(len(self.table.generators))
        scaled = Interval(POINTS * interval.low, POINTS * interval.high) if interval else None
        return float(POINTS * self.fit.order), scaled

    @cached_property
    def findings(self) -> list[VoteFinding]:
        """What makes the order less than it looks, by limits that were fixed before."""
        return [finding for finding in audit_votes(self.table.votes) if finding.is_defect]

    def cells(self) -> Iterator[tuple[str, list[PairCell | None]]]:
        """Each row of the matrix, in the order of strength; None on the diagonal."""
        for row in self.order:
            yield self.table.generators[row], [None if row == other else self._cell(row, other) for other in self.order]

    def _cell(self, row: int, other: int) -> PairCell:
        counts = {
            name: self.table.count(row, other, here) + self.table.count(other, row, there)
            for name, here, there in (
                ("wins", "first", "second"),
                ("equal", EQUAL, EQUAL),
                ("both_bad", BOTH_BAD, BOTH_BAD),
                ("losses", "second", "first"),
            )
        }
        of = sum(counts.values())
        share = (counts["wins"] + (counts["equal"] + counts["both_bad"]) / 2) / of if of else None
        below = self.fit.ratings.below if self.fit else np.zeros((row + other + 1,) * 2, bool)
        mark = "▲" if below[other, row] else "▼" if below[row, other] else ""
        return PairCell(share, **counts, mark=mark)
