"""Replaces the public ids of a pack after they became known together with their answers."""

from django.db import connection, transaction
from django.dispatch import Signal

from benchmarks.models import Pack
from benchmarks.models.public_ids import new_public_id

WRITE = "UPDATE benchmarks_item SET public_id = %s WHERE id = %s"

# Receivers update everything that contains ids. Sent with `pack`, in the same transaction.
ids_rotated = Signal()


@transaction.atomic
def rotate_ids(pack: Pack) -> int:
    """Give every item of the pack a new public id; return the number of items."""
    rows = [(new_public_id(), pk) for pk in pack.items.order_by().values_list("pk", flat=True)]
    with connection.cursor() as cursor:
        cursor.executemany(WRITE, rows)
    ids_rotated.send(Pack, pack=pack)
    return len(rows)
