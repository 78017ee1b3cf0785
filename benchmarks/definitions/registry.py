"""Every benchmark in the order of the pages: those of this package, then those that are files."""

import time
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from benchmarks.definitions.built_in import CODE, read_built_in
from benchmarks.definitions.definition import Benchmark
from benchmarks.errors import UnknownBenchmark

__all__ = ["BENCHMARKS", "UnknownBenchmark", "find_benchmark", "tellers", "telling"]

GLANCE = 1.0  # seconds for which the list of imported files is valid
BUILT_IN: dict[str, Benchmark] = {slug: read_built_in(slug) for slug in CODE}


class BenchmarkTable(dict[str, Benchmark]):
    """Benchmarks by slug. `source` returns those that are files, or None if it can't be queried now."""

    source: Callable[[], Mapping[str, Benchmark] | None] | None = None
    _next = 0.0

    def look(self) -> None:
        """Load the files from the database, at most once a second, since another process may have imported one."""
        if self.source is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + GLANCE
        if (found := self.source()) is not None:
            self.put_files(found)

    def put_files(self, found: Mapping[str, Benchmark]) -> None:
        """Replace the benchmarks that are files by these."""
        for slug in [slug for slug, one in dict.items(self) if one.is_file and slug not in found]:
            dict.__delitem__(self, slug)
        for slug, one in found.items():
            dict.__setitem__(self, slug, one)

    def files(self) -> list[Benchmark]:
        self.look()
        return [one for one in dict.values(self) if one.is_file]

    def __getitem__(self, slug: str) -> Benchmark:
        self.look()
        return dict.__getitem__(self, slug)

    def __contains__(self, slug: object) -> bool:
        self.look()
        return dict.__contains__(self, slug)

    def __iter__(self) -> Iterator[str]:
        self.look()
        return iter(list(dict.keys(self)))

    def __len__(self) -> int:
        self.look()
        return dict.__len__(self)

    def get(self, slug: str, default: Any = None) -> Any:
        self.look()
        return dict.get(self, slug, default)

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        self.look()
        return KeysView(dict(dict.items(self)))

    def values(self) -> ValuesView[Benchmark]:  # type: ignore[override]
        self.look()
        return ValuesView(dict(dict.items(self)))

    def items(self) -> ItemsView[str, Benchmark]:  # type: ignore[override]
        self.look()
        return ItemsView(dict(dict.items(self)))


BENCHMARKS = BenchmarkTable(BUILT_IN)


def find_benchmark(slug: str) -> Benchmark:
    """The benchmark with this slug; UnknownBenchmark lists the existing ones."""
    if slug not in BENCHMARKS:
        raise UnknownBenchmark(f"there is no benchmark {slug!r}; there is: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[slug]


def telling(slug: str) -> frozenset[str]:
    """Names of the facets that reveal the correct answers of this benchmark; they are neither shown nor searchable."""
    return BENCHMARKS[slug].telling if slug in BENCHMARKS else frozenset()


def tellers(facet: str) -> list[str]:
    """Slugs of the benchmarks in which this facet reveals the correct answer."""
    return [slug for slug in BENCHMARKS if facet in telling(slug)]
