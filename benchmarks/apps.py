from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    name = "benchmarks"

    def ready(self) -> None:
        from benchmarks.definitions import consistency  # noqa: F401  (its check registers)
        from benchmarks.definitions.registry import BENCHMARKS
        from benchmarks.packs.benchmark_files import from_database

        BENCHMARKS.source = from_database
