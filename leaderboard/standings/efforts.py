"""The tokens of a run's answers, stored with its standings."""

from typing import Any

from django.db.models import Avg, Count

from evaluation.models import ModelResponse, Run

EFFORT = "effort"  # of a stored overall cell


def effort_of(run: Run) -> dict[str, Any] | None:
    """Mean input and output tokens of an answer, with thoughts; None if they were not counted."""
    counted = ModelResponse.objects.filter(cell__run=run, tokens_out__isnull=False)
    found = counted.aggregate(n=Count("pk"), tokens_in=Avg("tokens_in"), tokens_out=Avg("tokens_out"))
    if not found["n"]:
        return None
    return {name: None if value is None else round(value, 2) for name, value in found.items()}
