"""Creates a run's cells and shards; the cells of a shard never change."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from evaluation.models import Cell, Run, Shard

CELLS_A_SHARD = 64
SHARDS_AT_ONCE = 50  # limits memory to 3,200 cells for runs of any size


@transaction.atomic
def add_cells(run: Run, cells: Sequence[tuple[int, int]]) -> None:
    """Create a cell for each (item id, seed), CELLS_A_SHARD a shard in this order, after the existing shards."""
    last = run.shards.aggregate(last=Max("number"))["last"]
    first = 0 if last is None else last + 1
    for start in range(0, len(cells), CELLS_A_SHARD * SHARDS_AT_ONCE):
        part = cells[start : start + CELLS_A_SHARD * SHARDS_AT_ONCE]
        number = first + start // CELLS_A_SHARD
        shards = Shard.objects.bulk_create(
            [Shard(run=run, number=number + place) for place in range(-(-len(part) // CELLS_A_SHARD))], batch_size=500
        )
        Cell.objects.bulk_create(
            [
                Cell(run=run, shard=shards[place // CELLS_A_SHARD], item_id=item, seed=seed)
                for place, (item, seed) in enumerate(part)
            ],
            batch_size=500,
        )
