"""Celery tasks of this app: clips of queued packs, imports ordered by staff, and uploaded folders."""

from celery import shared_task

from benchmarks.gallery import folder_queue
from benchmarks.generation import distributed, ordered_imports
from benchmarks.leasing import queue_task
from benchmarks.models import ProductionBatch


@shared_task(acks_late=True)
def make_batch(batch_id: int) -> None:
    """Make a batch's clips, and queue the import after the last batch. Can run twice: finished clips are kept."""
    if distributed.make_batch(batch_id):
        queue_task(distributed.IMPORT, ProductionBatch.objects.get(pk=batch_id).production_id)


@shared_task(acks_late=True)
def import_pack(production_id: int) -> None:
    """Import a finished pack. Can run twice: importing the same content again is a no-op."""
    distributed.import_production(production_id)


@shared_task(acks_late=True)
def import_ordered(production_id: int) -> None:
    """Carry out an import ordered by staff. Can run twice: importing the same content again is a no-op."""
    ordered_imports.carry_out(production_id)


@shared_task(acks_late=True)
def read_folder(upload_id: int) -> None:
    """Check or import an uploaded folder. Can run twice: one that is being read, or was read, is left alone."""
    folder_queue.carry_out(upload_id)


@shared_task
def sweep_folders() -> None:
    """Queue every folder and pack that waits or lost its worker; delete folders of deleted accounts."""
    folder_queue.drop_ownerless()
    folders = [(folder_queue.FOLDER, upload_id) for upload_id in folder_queue.unread()]
    for task, pk in folders + distributed.lost_work():
        queue_task(task, pk)
