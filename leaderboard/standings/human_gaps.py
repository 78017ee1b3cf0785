"""The gap of each row of a view to humans, on the items that both answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from leaderboard.models import Comparison, Standing
from leaderboard.standings.human_rows import row_key
from measures.estimate import family


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
    people = [standing.pk for standing in standings if standing.row_kind.is_measured_people]
    if not people:
        return {}
    known = {standing.pk: standing for standing in standings}
    rows = [standing.pk for standing in standings if standing.run_id]
    found = Comparison.objects.filter(first__in=people, second__in=rows, n__gt=0)
    widest = {one.second_id: one for one in found.order_by("n", "pk")}
    adjusted = family([one.p for one in widest.values()])
    pairs = zip(widest.values(), adjusted, strict=True)
    return {one.second_id: _distance(one, p, known[one.first_id], known[one.second_id]) for one, p in pairs}


def _distance(found: Comparison, p: float | None, people: Standing, row: Standing) -> Distance:
    """The stored difference (people minus row) with its sign turned, so that below people is below zero."""
    assert people.trial is not None
    link = f"{reverse('compare')}?a=run-{row.run_id}&b={row_key(people.trial, people.condition)}"
    low, high = (None if bound is None else -bound for bound in (found.high, found.low))
    return Distance(-found.difference, low, high, found.n, p, link)
