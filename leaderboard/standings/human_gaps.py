"""The gap of each row of a view to humans, on the items that both answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from leaderboard.models import Comparison, RowKind, Standing
from leaderboard.standings.human_rows import row_key
from measures.multiple_comparisons import holm


@dataclass(frozen=True)
class Distance:
    """A row's score minus people's, -1 to 1, on n shared items; `p` is Holm-corrected over all rows of the view."""

    value: float
    low: float | None
    high: float | None
    n: int
    p: float | None
    link: str


def gaps_to_humans(standings: Sequence[Standing]) -> dict[int, Distance]:
    """Standing id -> its gap to humans, in one query; of several studies, the one that shares the most items."""
    people = [standing.pk for standing in standings if standing.kind == RowKind.HUMAN]
    if not people:
        return {}
    rows = [standing.pk for standing in standings if standing.run_id]
    found = Comparison.objects.filter(first__in=people, second__in=rows, n__gt=0).select_related(
        "first__trial", "second"
    )
    widest = {one.second_id: one for one in found.order_by("n", "pk")}
    adjusted = holm([one.p for one in widest.values()])
    return {pk: _distance(one, p) for (pk, one), p in zip(widest.items(), adjusted, strict=True)}


def _distance(found: Comparison, p: float | None) -> Distance:
    """The stored difference (people minus row) with its sign turned, so that below people is below zero."""
    assert found.first.trial is not None
    people = row_key(found.first.trial, found.first.condition)
    link = f"{reverse('compare')}?a=run-{found.second.run_id}&b={people}"
    low, high = (None if bound is None else -bound for bound in (found.high, found.low))
    return Distance(-found.difference, low, high, found.n, p, link)
