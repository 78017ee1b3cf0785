"""Celery tasks of this extension: reading material for annotation, and making its packs."""

from celery import shared_task

from benchmarks.leasing import queue_task
from extensions.annotation.material import make_pack, processing
from extensions.annotation.material.uploads import PACK, READ


@shared_task(acks_late=True)
def read_material(file_id: int) -> None:
    """Cut an uploaded file into clips. Can run twice: a file that is being read, or was read, is left alone."""
    processing.read_file(file_id)


@shared_task(acks_late=True)
def make_material_pack(production_id: int) -> None:
    """Make the pack of a material. Can run twice: the same clips give the same pack."""
    make_pack.make_pack(production_id)


@shared_task
def sweep_material() -> None:
    """Queue every file and pack that waits or lost its worker."""
    for file_id in processing.unread():
        queue_task(READ, file_id)
    for production_id in make_pack.unmade():
        queue_task(PACK, production_id)
