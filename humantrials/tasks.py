"""Doorways for workers. Each can run twice without harm."""

from celery import shared_task

from humantrials.identities import drop_kept_too_long


@shared_task
def drop_identities() -> int:
    """Once a day: external ids whose time is over."""
    return drop_kept_too_long()
