"""Leases of runs with a ceiling: one shard at a time, since two workers together could exceed it."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from benchmarks.leasing import running
from evaluation.models import Run, Shard
from evaluation.queue.leases import claim

KEY = "ceiling"  # of a run's card
# Runs with a ceiling of which another worker holds a shard.
HELD_TO_CEILING = Q(card__has_key=KEY) & Q(Exists(Shard.objects.filter(running(Shard), run=OuterRef("pk"))))


@transaction.atomic
def claim_within(*, run: Run, holder: str) -> Shard | None:
    """Lease a free shard of the run; None if there is none, or if another worker is on a run with a ceiling."""
    if KEY in run.card:
        Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
        if run.shards.filter(running(Shard)).exists():
            return None
    return claim(run=run, holder=holder)
