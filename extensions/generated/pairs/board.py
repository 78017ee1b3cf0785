"""The board of votes: strengths with intervals and ranks, win rates of every pair, and what the votes can't support."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.pairs.vote_files import ANSWERS, BOTH_BAD, EQUAL, FIRST, SECOND, VoteTable
from measures.estimate import Strengths, UnconnectedError, VoteFinding, audit_votes, ranks, strengths_of
from measures.figures import Interval, Rank


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
        all_ranks = ranks(ratings.below, ratings.values.tolist())
        return [
            StrengthRow(
                self.table.generators[row],
                float(ratings.values[row]),
                ratings.of_row(row),
                all_ranks[row],
                int(counts[row]),
            )
            for row in self.order
        ]

    @cached_property
    def findings(self) -> list[VoteFinding]:
        """What makes the order less than it looks, by limits that were fixed before."""
        return [finding for finding in audit_votes(self.table.votes) if finding.is_defect]

    def cells(self) -> Iterator[tuple[str, list[PairCell | None]]]:
        """Each row of the matrix, in the order of strength; None on the diagonal."""
        for row in self.order:
            cells = [None if row == column else self._cell(row, column) for column in self.order]
            yield self.table.generators[row], cells

    def _cell(self, row: int, column: int) -> PairCell:
        as_first, as_second = self.table.counts[row, column], self.table.counts[column, row]
        first, second, equal, both_bad = (list(ANSWERS).index(answer) for answer in (FIRST, SECOND, EQUAL, BOTH_BAD))
        wins = int(as_first[first] + as_second[second])
        losses = int(as_first[second] + as_second[first])
        equals, bad = (int(as_first[answer] + as_second[answer]) for answer in (equal, both_bad))
        total = wins + losses + equals + bad
        share = (wins + (equals + bad) / 2) / total if total else None
        return PairCell(share, wins, equals, bad, losses, self._mark(row, column))

    def _mark(self, row: int, column: int) -> str:
        if self.fit is None:
            return ""
        below = self.fit.ratings.below
        return "▲" if below[column, row] else "▼" if below[row, column] else ""
