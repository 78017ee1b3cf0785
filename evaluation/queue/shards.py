"""Creates a run's cells and shards, whose cells never change, and counts ended shards for pages."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Max

from evaluation.models import Cell, CellState, Reading, Run, Shard, ShardState

CELLS_A_SHARD = 64
COUNTED = (ShardState.DONE, ShardState.FAILED)
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


def count_cells(*, run_id: int, shards: Iterable[int]) -> None:
    """Store on these shards the numbers of answered, failed and unparsed cells (by the run's own parser)."""
    wanted = list(shards)
    states: dict[int, Counter[str]] = defaultdict(Counter)
    cells = Cell.objects.filter(shard__in=wanted).order_by()
    for shard, state, number in cells.values_list("shard", "state").annotate(Count("pk")):
        states[shard][state] = number
    problems = _problems(Run.objects.get(pk=run_id), wanted)
    for shard in wanted:
        Shard.objects.filter(pk=shard).update(
            answered=states[shard][CellState.ANSWERED], failed=states[shard][CellState.FAILED], problems=problems[shard]
        )


def count_again(run: Run) -> None:
    """Recount the unparsed replies of ended shards after another parser has read all replies."""
    ended = run.shards.filter(state__in=COUNTED)
    problems = _problems(run, ended.values("pk"))
    for shard in ended.exclude(problems={}).exclude(pk__in=list(problems)).iterator():
        problems[shard.pk] = {}
    changed = [Shard(pk=shard, problems=found) for shard, found in problems.items()]
    Shard.objects.bulk_update(changed, ["problems"], batch_size=500)


def _problems(run: Run, shards: Any) -> dict[int, dict[str, int]]:
    """shard -> problem -> number of replies with it."""
    readings = Reading.objects.filter(
        response__cell__shard__in=shards, parser=run.parser, version=run.parser_version
    ).exclude(problem="")
    found: dict[int, dict[str, int]] = defaultdict(dict)
    rows = readings.order_by().values_list("response__cell__shard", "problem")
    for shard, problem, number in rows.annotate(Count("pk")):
        found[shard][problem] = number
    return found
