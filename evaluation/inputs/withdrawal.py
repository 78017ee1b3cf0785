"""Removes a withdrawn clip from the frame cache and has its standings recomputed."""

from django.db.models import F
from django.dispatch import receiver

from benchmarks.models import Clip
from benchmarks.storage.access import clip_withdrawn
from evaluation.inputs.frames import forget
from evaluation.models import Run


@receiver(clip_withdrawn)
def forget_clip(sender: type[Clip], clip: Clip, **kwargs: object) -> None:
    forget(clip)
    runs = Run.objects.filter(cells__item__media__clip=clip).distinct().values("pk")
    Run.objects.filter(pk__in=runs).update(answers_version=F("answers_version") + 1)
