"""Celery tasks of this app. Each can run twice without harm."""

from celery import shared_task

from humantrials.identities import drop_expired
from humantrials.running.lifecycle import extend_due_trials


@shared_task
def drop_identities() -> int:
    """Delete expired external ids; runs once a day."""
    return drop_expired()


@shared_task
def draw_second_rounds() -> int:
    """Draw the second round of studies whose first is complete; runs every half minute."""
    return extend_due_trials()
