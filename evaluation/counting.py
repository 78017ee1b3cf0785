"""Shards are counted when they end, so that a page adds up shards and not cells."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count

from evaluation.models import Cell, CellState, Reading, Run, Shard, ShardState

COUNTED = (ShardState.DONE, ShardState.FAILED)


def count_cells(*, run_id: int, shards: Iterable[int]) -> None:
    """Write down how many cells of these shards are answered, failed and unread, by the run's own parser."""
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
    """After all replies were read anew: what was counted by the earlier parser is counted by the present one."""
    ended = run.shards.filter(state__in=COUNTED)
    problems = _problems(run, ended.values("pk"))
    for shard in ended.exclude(problems={}).exclude(pk__in=list(problems)).iterator():
        problems[shard.pk] = {}
    changed = [Shard(pk=shard, problems=found) for shard, found in problems.items()]
    Shard.objects.bulk_update(changed, ["problems"], batch_size=500)


def _problems(run: Run, shards: Any) -> dict[int, dict[str, int]]:
    """shard -> why replies of it could not be read -> how many."""
    readings = Reading.objects.filter(
        response__cell__shard__in=shards, parser=run.parser, version=run.parser_version
    ).exclude(problem="")
    found: dict[int, dict[str, int]] = defaultdict(dict)
    rows = readings.order_by().values_list("response__cell__shard", "problem")
    for shard, problem, number in rows.annotate(Count("pk")):
        found[shard][problem] = number
    return found
