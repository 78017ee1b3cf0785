"""Public ids of items: random, so that nobody can derive them from public data."""

from base64 import b32encode
from secrets import token_bytes

from django.db import connection, transaction
from django.dispatch import Signal

from benchmarks.models.packs import Pack

CHARACTERS = 12


def new_public_id() -> str:
    """60 random bits as twelve letters and digits."""
    return b32encode(token_bytes(8)).decode().lower()[:CHARACTERS]


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
