"""Names and cards that boards show: kept pages are drawn anew once one of them changes, with the figures they had."""

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from benchmarks.models import Pack
from evaluation.models import Model
from leaderboard.models import RowKind, Standing


@receiver(post_save, sender=Model)
def follow_the_model(sender: type[Model], instance: Model, created: bool, **kwargs: Any) -> None:
    """Its rows are as of now, by which boards know (caching.version_of)."""
    if not created:
        Standing.objects.filter(run__model=instance).touch(name=instance.name)


@receiver(post_save, sender=Pack)
def follow_the_pack(sender: type[Pack], instance: Pack, created: bool, **kwargs: Any) -> None:
    """One of its rows is as of now: none of people where there is another, since the home page tells when they came."""
    if not created:
        rows = Standing.objects.filter(pack=instance).order_by("pk").values_list("pk", flat=True)
        Standing.objects.filter(pk__in=[*rows.exclude(kind=RowKind.HUMAN)[:1]] or [*rows[:1]]).touch()
