"""The tokens of a run's answers, stored with its standings."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Avg, Count

from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import ModelResponse, Run
from leaderboard.standings.stored_cells import UnstoredStanding

EFFORT = "effort"  # of a stored overall cell


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    if found := effort_of(run):
        for row in rows:
            row.overall[EFFORT] = found


def effort_of(run: Run) -> dict[str, Any] | None:
    """Mean input and output tokens of an answer, with thoughts; None if they were not counted."""
    counted = ModelResponse.objects.filter(cell__run=run, tokens_out__isnull=False)
    found = counted.aggregate(n=Count("pk"), tokens_in=Avg("tokens_in"), tokens_out=Avg("tokens_out"))
    if not found["n"]:
        return None
    return {name: None if value is None else round(value, 2) for name, value in found.items()}
