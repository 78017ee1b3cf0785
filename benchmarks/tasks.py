"""Background work of this app: the clips of a queued pack, imports that staff order, and material for annotation."""

from celery import shared_task

from benchmarks import ordered_imports, queueing
from benchmarks.material import packing, reading
from benchmarks.material.waking import PACK, READ, wake
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


@shared_task(acks_late=True)
def read_material(file_id: int) -> None:
    """Can run twice: a file that is being read, or was, is left alone."""
    reading.read_file(file_id)


@shared_task(acks_late=True)
def make_material_pack(production_id: int) -> None:
    """Can run twice: the same clips again are the same pack."""
    packing.make_pack(production_id)


@shared_task
def sweep_material() -> None:
    """Wake a worker for every file and every pack that waits, or whose worker was lost."""
    for file_id in reading.unread():
        wake(READ, file_id)
    for production_id in packing.unmade():
        wake(PACK, production_id)
