"""The Celery task of trainings."""

from celery import shared_task
from django.core.management import call_command


@shared_task(acks_late=True)
def train_model(name: str, benchmark: str, seed: int = 0, size: str = "small") -> None:
    call_command("train_baseline", name, benchmark=benchmark, seed=seed, size=size)
