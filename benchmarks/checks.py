"""A system check: the site starts only if every benchmark definition is well formed."""

from typing import Any

from django.core.checks import Error, register

from benchmarks.definitions.consistency import mistakes_of
from benchmarks.definitions.registry import BENCHMARKS


@register
def benchmarks_are_well_formed(app_configs: Any = None, **kwargs: Any) -> list[Error]:
    return [
        Error(f"{benchmark.slug}: {what}", id="benchmarks.E001")
        for benchmark in BENCHMARKS.values()
        for what in mistakes_of(benchmark)
    ]
