"""Receivers that invalidate cached boards when a model, a pack or public ids change."""

from typing import Any

from django.db.models import F
from django.db.models.signals import post_save
from django.dispatch import receiver

from benchmarks.models import Pack
from benchmarks.models.public_ids import ids_rotated
from evaluation.models import Model, Run
from humantrials.models import Trial
from leaderboard.models import RowKind, Standing


@receiver(post_save, sender=Model)
def follow_the_model(sender: type[Model], instance: Model, created: bool, **kwargs: Any) -> None:
    """Rename and touch the model's standings so that cached boards are invalidated (board.cache.version_of)."""
    if not created:
        Standing.objects.filter(run__model=instance).touch(name=instance.name)


@receiver(post_save, sender=Pack)
def follow_the_pack(sender: type[Pack], instance: Pack, created: bool, **kwargs: Any) -> None:
    """Touch one standing of the pack, preferably not a human one: its date is shown on the home page."""
    if not created:
        rows = Standing.objects.filter(pack=instance).order_by("pk").values_list("pk", flat=True)
        Standing.objects.filter(pk__in=[*rows.exclude(kind=RowKind.HUMAN)[:1]] or [*rows[:1]]).touch()


@receiver(ids_rotated)
def follow_the_ids(sender: type[Pack], pack: Pack, **kwargs: Any) -> None:
    """Invalidate cached pages and lists of the pack, which show public ids or are sorted by them."""
    Run.objects.filter(pack=pack).update(answers_version=F("answers_version") + 1)
    Trial.objects.filter(pack=pack).update(answers_version=F("answers_version") + 1)
    Standing.objects.filter(pack=pack).touch()
