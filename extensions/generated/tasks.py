"""Celery tasks of this extension: checking clip sets, and making rounds of them."""

from celery import shared_task

from benchmarks.leasing import queue_task
from extensions.generated.clipsets import checking, uploads
from extensions.generated.models import ClipSet
from extensions.generated.rounds.make_round import MAKE, make_ordered, unmade


@shared_task(acks_late=True)
def check_clip_set(clip_set_id: int) -> None:
    """Check an uploaded clip set. Can run twice: one that is being checked, or was checked, is left alone."""
    checking.carry_out(clip_set_id)


@shared_task(acks_late=True)
def make_round(production_id: int) -> None:
    """Make an ordered round. Can run twice: the later call finds it made."""
    make_ordered(production_id)


@shared_task(acks_late=True)
def measure_clip_set(clip_set_id: int) -> None:
    """Compare a set's clips with their references. Can run twice: the same measures are stored again."""
    from extensions.generated.scores import physics_iq  # no decoder at the site's start

    physics_iq.measure_set(ClipSet.objects.get(pk=clip_set_id))


@shared_task
def sweep_clip_sets() -> None:
    """Queue every set and round that waits or lost its worker; delete sets that were refused or never ended."""
    from extensions.generated.scores import physics_iq

    uploads.drop_unfinished()
    for clip_set_id in uploads.unread():
        queue_task(uploads.CHECK, clip_set_id)
    for production_id in unmade():
        queue_task(MAKE, production_id)
    for clip_set_id in physics_iq.unmeasured():
        queue_task(physics_iq.MEASURE, clip_set_id)
