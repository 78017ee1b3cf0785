"""Finds contradictions and missing references in a definition."""

from collections.abc import Iterator
from typing import Any

from django.core.checks import Error, register

from benchmarks.definitions.definition import CONDITIONS, Benchmark, StrategyName
from benchmarks.definitions.registry import BENCHMARKS

MEDIA_POLICIES = ("public", "participants", "none")


def mistakes_of(benchmark: Benchmark) -> Iterator[str]:
    """Yield one sentence for each contradiction or missing reference in a definition."""
    strategies = {strategy.name for strategy in benchmark.strategies}
    facets = {facet.name: {value.value for value in facet.values} for facet in benchmark.facets}
    if benchmark.made_policy not in ("", *MEDIA_POLICIES):
        yield f"policy {benchmark.made_policy!r} of what is made here is none of {', '.join(MEDIA_POLICIES)}"
    if benchmark.media_policy not in MEDIA_POLICIES:
        yield f"media policy {benchmark.media_policy!r} is none of {', '.join(MEDIA_POLICIES)}"
    if not benchmark.parsers:
        yield "names no parser"
    for name in ("level", "test", "split"):
        if name not in facets:
            yield f"has no facet {name!r}, which pages build on"
    yield from (f"names condition {name!r}, which does not exist" for name in {*benchmark.conditions} - {*CONDITIONS})
    for level in benchmark.levels:
        yield from (f"level {level.number} groups by {name!r}, no facet" for name in {*level.groups} - facets.keys())
        yield from (f"level {level.number} offers {name!r}, no strategy" for name in {*level.strategies} - strategies)
    for strategy in benchmark.strategies:
        yield from _of_strategy(benchmark, strategy)
    yield from _of_figures(benchmark, strategies, facets)


def _of_strategy(benchmark: Benchmark, strategy: StrategyName) -> Iterator[str]:
    yield from (f"{strategy.name} names split {name!r}" for name in {*strategy.splits} - {*benchmark.splits})
    if strategy.condition not in benchmark.conditions:
        yield f"{strategy.name} has condition {strategy.condition!r}, which the benchmark does not name"
    if strategy.parser and strategy.parser not in benchmark.parsers:
        yield f"{strategy.name} names parser {strategy.parser!r}, which the benchmark does not"
    if strategy.level not in {level.number for level in benchmark.levels}:
        yield f"{strategy.name} is of level {strategy.level!r}, which is none"


def _of_figures(benchmark: Benchmark, strategies: set[str], facets: dict[str, set[str]]) -> Iterator[str]:
    columns = set().union({"overall"}, *facets.values())
    known = {"strategy": strategies | {""}, "condition": {"", *benchmark.conditions}, "split": {"", *benchmark.splits}}
    known["level"] = facets.get("level", set())
    known["dimension"] = {"", *(name for level in benchmark.levels for name in level.dimensions)}
    for row in benchmark.published:
        wrong = ((name, getattr(row, name)) for name, values in known.items() if getattr(row, name) not in values)
        yield from (f"published row {row.name} ({row.source}) names {name} {value!r}" for name, value in wrong)
        unknown = {cell.column for cell in row.cells} - columns
        yield from (f"published row {row.name} ({row.source}) has a column {name!r}" for name in unknown)


@register
def benchmarks_are_well_formed(app_configs: Any = None, **kwargs: Any) -> list[Error]:
    return [
        Error(f"{benchmark.slug}: {what}", id="benchmarks.E001")
        for benchmark in BENCHMARKS.values()
        for what in mistakes_of(benchmark)
    ]
