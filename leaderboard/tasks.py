"""Celery tasks."""

from celery import shared_task

from leaderboard.standings import refresh


@shared_task(ignore_result=True)
def refresh_standings() -> None:
    """Recompute stale standings. Beat calls this every few seconds; with nothing stale it costs two short queries."""
    refresh.refresh()
