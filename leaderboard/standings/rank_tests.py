"""Tests which rows of a ranking lie below which others: all pairs together, on the public items, at each refresh."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from django.db import transaction

from benchmarks.definitions.definition import Level
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from benchmarks.packs.item_arrays import Mask, PackFacts
from leaderboard.models import RankTest, Standing
from leaderboard.row_kinds import MODELS
from leaderboard.standings.item_scores import read_item_scores
from leaderboard.standings.stored_cells import StoredCell, cell_in
from measures.estimate import Matrix, rows_below

Facts = Callable[[Pack], PackFacts]


class RankedBoard(NamedTuple):
    """The common properties of one ranking's rows."""

    pack: int
    split: str
    strategy: str
    condition: str


@dataclass(frozen=True)
class RankedRow:
    """The fields of a model's standing that ranks need."""

    run: int
    referee: str
    levels: Mapping[str, StoredCell] | None


def refresh(facts: Facts) -> None:
    """Repeat the test of every ranking whose standings have changed, and drop rankings without standings."""
    places = RankTest.objects.order_by().values_list(*RankedBoard._fields, "source").distinct()
    wanted, stored = sources(), {RankedBoard(*place): source for *place, source in places}
    for board in stored.keys() - wanted.keys():
        RankTest.objects.filter(**board._asdict()).delete()
    for board in sorted(board for board, source in wanted.items() if stored.get(board) != source):
        pack = Pack.objects.get(pk=board.pack)
        store(board, wanted[board], list(tests_of(board, pack, facts(pack))))


def sources() -> dict[RankedBoard, str]:
    """Ranking -> a hash of the models' standings on it, in one query."""
    versions: dict[RankedBoard, list[str]] = defaultdict(list)
    models = Standing.objects.filter(kind__in=MODELS, pack__benchmark__in=BENCHMARKS)
    columns = ("pk", "source_version", "run__referee", *RankedBoard._fields)
    for pk, version, referee, *place in models.order_by("pk").values_list(*columns):
        versions[RankedBoard(*place)].append(f"{pk} {version} {referee}")
    return {board: hashlib.sha256("\n".join(known).encode()).hexdigest() for board, known in versions.items()}


@transaction.atomic
def store(board: RankedBoard, source: str, tests: Iterable[RankTest]) -> None:
    """Replace the tests of this ranking, and touch its rows so that cached boards show the new ranks."""
    Pack.objects.select_for_update(no_key=True).get(pk=board.pack)  # simultaneous refreshes store one after the other
    RankTest.objects.filter(**board._asdict()).delete()
    for test in tests:
        test.source = source
        test.save()
    Standing.objects.filter(kind__in=MODELS, **board._asdict()).touch()


def tests_of(board: RankedBoard, pack: Pack, facts: PackFacts) -> Iterator[RankTest]:
    """A test for each level, referee and dimension, and again without items under caution if there are any."""
    rows = ranked_rows(board)
    levels = [level for level in BENCHMARKS[pack.benchmark].levels if board.strategy in level.strategies]
    referees = sorted({row.referee for row in rows} - {""}) or [""]
    for level, referee in product(levels, referees):
        own = [row for row in rows if row.referee in ("", referee)]
        is_cautious = (_items(facts, board.split, level.number, "in") & facts.with_facet("caution")).any()
        for caution, dimension in product(("in", "out") if is_cautious else ("in",), ("", *level.dimensions)):
            runs, below = _tested(own, level, board.split, caution, dimension, facts)
            yield RankTest(
                pack=pack,
                split=board.split,
                strategy=board.strategy,
                condition=board.condition,
                level=level.number,
                caution=caution,
                dimension=dimension,
                referee=referee,
                runs=runs,
                packed=np.packbits(below).tobytes(),
            )


def ranked_rows(board: RankedBoard) -> list[RankedRow]:
    """The rows of this ranking as boards show them: of two runs with the same identity, the later one."""
    models = Standing.objects.filter(kind__in=MODELS, **board._asdict())
    columns = ("identity", "run_id", "run__referee", "cells__level")
    latest = {identity: RankedRow(*rest) for identity, *rest in models.order_by("pk").values_list(*columns)}
    return sorted(latest.values(), key=lambda row: f"run-{row.run}")  # as on boards, and in snapshots


def _tested(
    rows: Iterable[RankedRow], level: Level, split: str, caution: str, dimension: str, facts: PackFacts
) -> tuple[list[int], Matrix]:
    """The runs whose figure on this level is exact, and which of them lie below which.

    A rounded figure includes withheld answers; ranks must not reveal more about these than it does (decision 0012).
    """
    cells = {
        row.run: cell_in((row.levels or {}).get(level.number), dimension=dimension, caution=caution) for row in rows
    }
    exact = [run for run, cell in cells.items() if cell is not None and "step" not in cell]
    items = _items(facts, split, level.number, caution)
    _, first, cluster = np.unique(facts.clusters[items], return_index=True, return_inverse=True)
    sums = {  # of each cluster at once: rows over all items would take four times the memory
        run: [np.bincount(cluster, part[items], len(first)) for part in parts]
        for run, *parts in read_item_scores(exact, dimension, facts)
    }
    runs = [run for run in exact if run in sums]
    totals, sizes = np.array([sums[run] for run in runs]).reshape(len(runs), 2, len(first)).swapaxes(0, 1)
    return runs, rows_below(totals, sizes, facts.labels[items][first])


def _items(facts: PackFacts, split: str, level: str, caution: str) -> Mask:
    """The public items of a level and split, without those under caution if these are out."""
    found = facts.with_facet("split", split) & facts.with_facet("level", level) & ~facts.is_hidden
    return found & ~facts.with_facet("caution") if caution == "out" else found
