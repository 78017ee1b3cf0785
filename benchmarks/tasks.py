"""Background work of this app: the clips of a queued pack, batch by batch, its import, and imports that staff order."""

from celery import shared_task

from benchmarks import ordered_imports, queueing
from benchmarks.models import ProductionBatch


@shared_task(acks_late=True)
def make_batch(batch_id: int) -> None:
    """Can run twice: finished clips are kept, and whoever ends the last batch has the pack imported."""
    if queueing.make_batch(batch_id):
        import_pack.delay(ProductionBatch.objects.get(pk=batch_id).production_id)


@shared_task(acks_late=True)
def import_pack(production_id: int) -> None:
    """Can run twice: the same import again is a no-op."""
    queueing.import_production(production_id)


@shared_task(acks_late=True)
def import_ordered(production_id: int) -> None:
    """Can run twice: what is done is left alone, and the same import again is a no-op."""
    ordered_imports.carry_out(production_id)
