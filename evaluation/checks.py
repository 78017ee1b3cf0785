"""System checks: every name in a definition exists."""

from typing import Any

from django.core.checks import Error, register

from benchmarks.definitions.definition import Benchmark, Level
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.adapters.registry import ADAPTERS
from evaluation.inputs.frames import CONDITIONS
from evaluation.parsing import PARSERS
from evaluation.referees.rubrics import RUBRICS


@register
def definitions_name_what_exists(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Errors for conditions and parsers that a definition names but nothing implements."""
    named = [
        (benchmark.slug, what, name, existing)
        for benchmark in BENCHMARKS.values()
        for what, names, existing in (
            ("condition", [strategy.condition for strategy in benchmark.strategies], CONDITIONS),
            ("parser", benchmark.parsers, PARSERS),
        )
        for name in names
    ]
    return [
        Error(f"{slug} names the {what} {name!r}, which does not exist", id="evaluation.E001")
        for slug, what, name, existing in named
        if name not in existing
    ]


@register
def referees_score_what_boards_show(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Errors for levels whose dimensions differ from those that the rubrics of their data sets score."""
    levels = ((benchmark, level) for benchmark in BENCHMARKS.values() for level in benchmark.levels)
    return [
        Error(
            f"{benchmark.slug}, level {level.number}: its referees score {', '.join(sorted(scored)) or 'nothing'}",
            id="evaluation.E003",
        )
        for benchmark, level in levels
        if (scored := _scored(benchmark, level)) != set(level.dimensions)
    ]


def _scored(benchmark: Benchmark, level: Level) -> set[str]:
    datasets = {value.value for value in benchmark.facet("test").values if value.level == level.number}
    fitting = (each for each in RUBRICS.values() if each.benchmark == benchmark.slug)
    return {one.name for each in fitting if datasets.intersection(each.datasets) for one in each.dimensions}


@register
def adapters_fit_their_column(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Errors for adapter kinds longer than their column of 20 characters."""
    return [Error(f"adapter kind {kind!r} is too long", id="evaluation.E002") for kind in ADAPTERS if len(kind) > 20]
