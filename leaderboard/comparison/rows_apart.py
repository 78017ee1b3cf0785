"""Rows of a level with figures other than accuracy, and views of strategies that boards of accuracy leave out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from django.db.models import F, QuerySet

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.packs.item_arrays import ALL
from evaluation.models import Run
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.models import Standing

Answerer = TypeVar("Answerer")


def view_with(benchmark: Benchmark, read: Mapping[str, str], wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the address, by default on the level of the strategy wanted."""
    level = next((one.level for one in benchmark.strategies if wanted(one)), "")
    return view_of(benchmark, {"level": level} | dict(read))


def view_apart(view: View, strategies: Sequence[StrategyName]) -> View:
    """The view of that one of these strategies that belongs to its level; boards of accuracy leave it out."""
    found = [one for one in strategies if one.level == view.level.number]
    if not found:
        words = {"benchmark": view.benchmark.title, "level": view.level.number}
        raise BadAddress("{benchmark}, level {level}, has no such questions".format(**words))
    split = view.split if view.split in found[0].splits else found[0].splits[0]
    return replace(view, strategy=found[0], split=split)


def rows_apart(view: View, key: str) -> Iterator[tuple[BoardRow, dict[str, Any]]]:
    """The runs and studies of the view with figures under this key, each with these figures; people first."""
    for standing, row in rows_holding(view, key, (view.strategy.name,), (view.condition,)):
        yield row, standing.overall[key]


def rows_holding(
    view: View, key: str, strategies: Sequence[str], conditions: Sequence[str]
) -> Iterator[tuple[Standing, BoardRow]]:
    """The standings of runs and studies with these strategies and conditions that hold this key; people first."""
    if view.pack is None:
        return
    found = Standing.objects.filter(pack=view.pack, split=view.split, strategy__in=strategies, condition__in=conditions)
    for one in found.select_related("run__model", "trial").order_by(F("trial").asc(nulls_last=True), "pk"):
        source, named = (one.trial, "trial") if one.trial else (one.run, "run")
        if source and one.overall.get(key):
            yield (
                one,
                BoardRow(f"{named}-{source.pk}", one.name, one.row_kind, {}, None, link=source.get_absolute_url()),
            )


def standings_of_level(view: View) -> QuerySet[Standing]:
    """The standings of runs of the view's level, whatever the strategy."""
    if view.pack is None:
        return Standing.objects.none()
    found = Standing.objects.filter(
        pack=view.pack,
        split=view.split,
        strategy__in=view.level.strategies,
        condition=view.condition,
        run__isnull=False,
    )
    return found.select_related("run__model", "run__pack").order_by("pk")


def rows_of_level(view: View, key: str) -> Iterator[tuple[BoardRow, Run, dict[str, Any]]]:
    """The runs of the level with figures under this key, each with these figures."""
    for one in standings_of_level(view):
        if one.run and key in one.overall:
            row = BoardRow(f"run-{one.run.pk}", one.name, one.row_kind, {}, None, link=one.run.get_absolute_url())
            yield row, one.run, one.overall[key]


def by_group(
    view: View, rows: Sequence[tuple[Answerer, dict[str, Any]]]
) -> Iterator[tuple[Answerer, str, dict[str, Any]]]:
    """Each row with title and figures over all items, then for each value of the view's facet that has figures.

    Rows of one value are adjacent, so that answerers can be compared.
    """
    yield from ((row, "all", figures[ALL]) for row, figures in rows)
    for value in view.benchmark.facet(view.group).values:
        known = ((row, figures.get(view.group, {})) for row, figures in rows)
        yield from ((row, value.title, found[value.value]) for row, found in known if value.value in found)
