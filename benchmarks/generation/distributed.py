"""Makes a pack with many workers: batches of clips, one message each, then the import after the last batch.

A message may be delivered twice: finished clips are kept, a batch's progress is set and not summed, and importing the
same content again is a no-op. It may also be lost with its broker or worker: the sweep sends it again.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum
from django.db.models.functions import Now

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BeingImported
from benchmarks.generation.generate import ProductionOrder, order_for
from benchmarks.generation.progress import failures_recorded, ordered, show_production, silent_ones
from benchmarks.generation.set_makers import make_one, maker_named
from benchmarks.models import Pack, Production, ProductionBatch, ProductionState
from benchmarks.packs.import_release import import_release

MAKING, IMPORT, ORDERED = (f"benchmarks.tasks.{name}" for name in ("make_batch", "import_pack", "import_ordered"))
BATCH = 8  # clips per message: one or two minutes of work, so that a lost worker costs little


@transaction.atomic
def order_production(benchmark: Benchmark, *, pack_name: str, out: Path, **chosen: Any) -> list[int]:
    """Store the order, replacing an earlier production of this pack; return the ids of its batches."""
    order = order_for(benchmark, out, **chosen)
    production = ordered(benchmark.slug, pack_name=pack_name, order=asdict(order), clips=order.clips)
    numbers = range(-(-order.clips // BATCH))
    return [
        batch.pk
        for batch in ProductionBatch.objects.bulk_create(
            [ProductionBatch(production=production, number=number) for number in numbers]
        )
    ]


def clips_of_batch(order: ProductionOrder, number: int) -> list[tuple[str, int]]:
    """(scene, index) of each clip of this batch."""
    numbers = range(number * BATCH, min((number + 1) * BATCH, order.clips))
    names = order.names
    return [(names[place % len(names)], order.first + place // len(names)) for place in numbers]


def make_batch(batch_id: int) -> bool:
    """Make the clips of a batch; return whether all batches are done and the pack can be imported.

    Does nothing if the order was replaced or the production has failed.
    """
    batch = ProductionBatch.objects.select_related("production").filter(pk=batch_id).first()
    if batch is None or not batch.production.is_open:
        return False
    production = batch.production
    Production.objects.filter(pk=production.pk, state=ProductionState.WAITING).update(state=ProductionState.MAKING)
    with failures_recorded(production, comes_again=True):
        order = ProductionOrder(**production.order)
        options = order.options(find_benchmark(production.benchmark))
        for done, (scene, index) in enumerate(clips_of_batch(order, batch.number), 1):
            make_one(scene, order.seed, index, Path(order.out), options)
            ProductionBatch.objects.filter(pk=batch.pk).update(clips_done=done)
            in_all = production.batches.aggregate(done=Sum("clips_done"))["done"] or 0
            show_production(production, clips_done=in_all)
    ProductionBatch.objects.filter(pk=batch.pk).update(done_at=Now())
    return not production.batches.filter(done_at=None).exists()


def import_production(production_id: int) -> None:
    """Import the finished clips. Two simultaneous calls are safe: one finds the pack already imported.

    Does nothing if an ordered import has replaced the production.
    """
    production = Production.objects.get(pk=production_id)
    if "folder" in production.order:
        return
    order, benchmark = ProductionOrder(**production.order), find_benchmark(production.benchmark)
    show_production(production, state=ProductionState.IMPORTING)
    with failures_recorded(production, comes_again=True):
        if order.of_set:
            maker_named(benchmark.generate_set).write_labels(order.set_order, Path(order.out))
        try:
            import_release(benchmark, Path(order.out), pack_name=production.pack_name)
        except BeingImported:
            if not Pack.objects.filter(benchmark=production.benchmark, name=production.pack_name).exists():
                raise
    show_production(production, state=ProductionState.DONE)


def lost_work() -> list[tuple[str, int]]:
    """The tasks to queue again, with their ids: those of open productions of which nothing is heard."""
    lost = list[tuple[str, int]]()
    for production in silent_ones().filter(Q(order__has_key="folder") | Q(order__has_key="out")):
        open_batches = production.batches.filter(done_at=None).order_by("number")
        last = (ORDERED if "folder" in production.order else IMPORT, production.pk)
        lost += [(MAKING, batch.pk) for batch in open_batches] or [last]
        show_production(production)  # the next sweep hears of it
    return lost
