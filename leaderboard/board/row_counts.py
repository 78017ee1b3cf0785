"""Counts the rows of a view without assembling it, so that choices without rows can be dimmed."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.board.query import View
from leaderboard.board.row_sources.rows_of_papers import later_rows, published_rows
from leaderboard.board.rows import of_same_question
from leaderboard.models import PublishedResult
from leaderboard.row_kinds import RowKind


@dataclass(frozen=True)
class RowCounts:
    """Counts rows of views of one benchmark; `later` holds the figures of later papers about it."""

    later: Sequence[PublishedResult] = ()

    def of(self, view: View) -> int:
        """The number of rows of this site and of published rows with a figure, of the kinds that the view shows."""
        return _own(view) + (self._published(view) if not all(RowKind(kind).is_ours for kind in view.rows) else 0)

    def _published(self, view: View) -> int:
        rows = (*published_rows(view), *later_rows(view, self.later))
        return sum(row.has_figure or row.of_people for row in rows)


def counts_for(view: View) -> RowCounts:
    """The counts of the view's benchmark, in one query."""
    return RowCounts(tuple(PublishedResult.objects.checked().filter(benchmark=view.benchmark.slug)))


def _own(view: View) -> int:
    """Rows from standings: models with this strategy, and people who were asked the same kind of question."""
    if view.pack is None:
        return 0
    same = of_same_question(view)
    place = (view.pack.pk, view.split, view.condition)
    return sum(
        count
        for (pack, split, strategy, condition, kind), count in view.available.counts.items()
        if (pack, split, condition) == place and kind in view.rows
        if strategy == view.strategy.name or (RowKind(kind).of_people and strategy in same)
    )
