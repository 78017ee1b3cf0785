"""Every benchmark in the order of the pages: those of this package, then those that are files."""

import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping

from benchmarks.definitions.built_in import CODE, read_built_in
from benchmarks.definitions.definition import Benchmark
from benchmarks.errors import UnknownBenchmark

__all__ = ["BENCHMARKS", "UnknownBenchmark", "find_benchmark", "tellers", "telling"]

GLANCE = 1.0  # seconds for which the list of imported files is valid
BUILT_IN: dict[str, Benchmark] = {slug: read_built_in(slug) for slug in CODE}


class BenchmarkTable(MutableMapping[str, Benchmark]):
    """Benchmarks by slug. `source` returns those that are files, or None if it can't be queried now."""

    source: Callable[[], Mapping[str, Benchmark] | None] | None = None

    def __init__(self, built_in: Mapping[str, Benchmark]) -> None:
        self._known, self._next = dict(built_in), 0.0

    def _looked(self) -> dict[str, Benchmark]:
        """All, with the files of the database as of a second ago at most: another process may have imported one."""
        if self.source is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + GLANCE
            if (found := self.source()) is not None:
                self.put_files(found)
        return self._known

    def put_files(self, found: Mapping[str, Benchmark]) -> None:
        """Replace the benchmarks that are files by these; whoever goes through the former ones is not disturbed."""
        self._known = {slug: one for slug, one in self._known.items() if not one.is_file} | dict(found)

    def files(self) -> list[Benchmark]:
        return [one for one in self._looked().values() if one.is_file]

    def with_boards(self) -> dict[str, Benchmark]:
        """Those with right answers, by slug."""
        return {slug: benchmark for slug, benchmark in self._looked().items() if benchmark.has_boards}

    def __getitem__(self, slug: str) -> Benchmark:
        return self._looked()[slug]

    def __setitem__(self, slug: str, benchmark: Benchmark) -> None:
        self._known[slug] = benchmark

    def __delitem__(self, slug: str) -> None:
        del self._known[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._looked())

    def __len__(self) -> int:
        return len(self._looked())


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
