"""Celery tasks of this app: clips of queued packs, imports ordered by staff, and material for annotation."""

from celery import shared_task

from benchmarks.gallery import folder_queue
from benchmarks.generation import distributed, ordered_imports
from benchmarks.material import make_pack, processing
from benchmarks.models import ProductionBatch
from benchmarks.wakeup import FOLDER, PACK, READ, queue_task


@shared_task(acks_late=True)
def make_batch(batch_id: int) -> None:
    """Make a batch's clips, and queue the import after the last batch. Can run twice: finished clips are kept."""
    if distributed.make_batch(batch_id):
        import_pack.delay(ProductionBatch.objects.get(pk=batch_id).production_id)


@shared_task(acks_late=True)
def import_pack(production_id: int) -> None:
    """Import a finished pack. Can run twice: importing the same content again is a no-op."""
    distributed.import_production(production_id)


@shared_task(acks_late=True)
def import_ordered(production_id: int) -> None:
    """Carry out an import ordered by staff. Can run twice: importing the same content again is a no-op."""
    ordered_imports.carry_out(production_id)


@shared_task(acks_late=True)
def read_material(file_id: int) -> None:
    """Cut an uploaded file into clips. Can run twice: a file that is being read, or was read, is left alone."""
    processing.read_file(file_id)


@shared_task(acks_late=True)
def make_material_pack(production_id: int) -> None:
    """Make the pack of a material. Can run twice: the same clips give the same pack."""
    make_pack.make_pack(production_id)


@shared_task(acks_late=True)
def read_folder(upload_id: int) -> None:
    """Check or import an uploaded folder. Can run twice: one that is being read, or was read, is left alone."""
    folder_queue.carry_out(upload_id)


@shared_task
def sweep_material() -> None:
    """Queue every file, folder and pack that waits or lost its worker; delete folders of deleted accounts."""
    folder_queue.drop_ownerless()
    for upload_id in folder_queue.unread():
        queue_task(FOLDER, upload_id)
    for file_id in processing.unread():
        queue_task(READ, file_id)
    for production_id in make_pack.unmade():
        queue_task(PACK, production_id)
