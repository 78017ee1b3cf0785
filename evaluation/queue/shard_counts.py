"""Counts the cells of ended shards, so that pages add up shards instead of counting cells."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count

from evaluation.models import Cell, CellState, Reading, Run, Shard, ShardState

COUNTED = (ShardState.DONE, ShardState.FAILED)


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
