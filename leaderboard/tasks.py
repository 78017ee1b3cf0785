"""Doorways for the worker."""

from celery import shared_task

from leaderboard import standings


@shared_task(ignore_result=True)
def refresh_standings() -> None:
    """Recompute what is stale; beat asks every few seconds and an idle refresh is two short queries."""
    standings.refresh()
